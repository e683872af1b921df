// no_network.c: in place of libcurl and libcrypto, with which HDF5 reads files on the web.  limber does not, and loading the two
// libraries and the 30 they need takes longer than a small model.  HDF5 is told that there is no network and says so.
int curl_global_init(long flags);
int curl_global_init(long flags) { return (void)flags, 2; } // CURLE_FAILED_INIT: none of the others is called

#define UNUSED(name)  \
    void *name(void); \
    void *name(void) { return 0; }
UNUSED(curl_global_cleanup)
UNUSED(curl_easy_init)
UNUSED(curl_easy_cleanup)
UNUSED(curl_easy_setopt)
UNUSED(curl_easy_perform)
UNUSED(curl_slist_append)
UNUSED(curl_slist_free_all)
UNUSED(EVP_sha256)
UNUSED(HMAC)
UNUSED(SHA256)
