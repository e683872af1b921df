// fe/registry.c: all element kinds. A new one is one line here.
#include "fe/fe.h"

const lmb_element_ops *const lmb_elements[] = {
    &lmb_element_beam,    &lmb_element_tet4,
    &lmb_element_tet10,   &lmb_element_hex8,
    &lmb_element_hex20,   &lmb_element_hex20r,
    &lmb_element_wedge6,  &lmb_element_wedge15,
    &lmb_element_tri3,    &lmb_element_quad4,
    &lmb_element_mass,    &lmb_element_spring,
    &lmb_element_spring1, NULL,
};

const lmb_element_ops *lmb_element_find(const char *name) {
    for (int i = 0; lmb_elements[i]; i++)
        if (strcmp(lmb_elements[i]->name, name) == 0) return lmb_elements[i];
    return NULL;
}
