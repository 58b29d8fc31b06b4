/** Injection token of all registered tools, in catalogue order. */
export const TOOLS = Symbol('Tools');
/** Injection token of all registered function plugins, in catalogue order. */
export const FUNCTIONS = Symbol('Functions');
