/** Injects the `OpenDatabase`: which engine runs, for health and operator commands. */
export const DATABASE = Symbol('DATABASE');
