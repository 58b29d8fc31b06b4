/** Injection token of all registered tools, in catalogue order. */
export const TOOLS = Symbol('Tools');
