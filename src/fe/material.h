// fe/material.h: the elastic law of a material in given axes, and materials that are not isotropic.
#ifndef LMB_MATERIAL_H
#define LMB_MATERIAL_H

#include "fe/fe.h"

// Hooke's law in some axes: stress = lambda tr(strain) I + 2 mu strain, or C strain.
typedef struct lmb_law {
    bool isotropic;
    double lambda, mu;
    double C[6][6]; // not filled if isotropic
} lmb_law;
void lmb_law_along(lmb_law *out, const lmb_material *m,
                   const mat3 *R); // R: columns are the axes of the material
void lmb_law_stress(double *stress, const lmb_law *law, const double *strain);

// C = T C_m T'                                                        docs/theory/elements.md (M2)
void lmb_elasticity_rotate(double (*out)[6], const double C[6][6], const mat3 *R);

// The axes of the material at a place, as columns; of kinds that need no element.
mat3 lmb_material_axes_at(const lmb_material_axes *a, vec3 x);

// Angle about the normal from the x axis of a shell's plane R (columns) to that of its material at x; NAN: the axis that would be
// projected is normal to the shell.
double lmb_shell_angle(const lmb_material_axes *a, const mat3 *R, vec3 x);

// Into elasticity and C of a material; false: not positive definite.
typedef struct lmb_constants { // strain_2 = -nu12 strain_1 under a stress along 1
    double E[3];               // E1, E2, E3
    double nu[3];              // nu12, nu13, nu23
    double G[3];               // G12, G13, G23
} lmb_constants;
bool lmb_elasticity_from_constants(lmb_material *out, const lmb_constants *c);
// E1, E2, nu12, G12, G13, G23 of a layer in plane stress
bool lmb_elasticity_from_lamina(lmb_material *out, const double *constants);
bool lmb_elasticity_is_sound(const lmb_material *m); // C is positive definite

#endif
