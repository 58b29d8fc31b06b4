/** The lists that forms choose from, by name, each fetched once. */
export const fetched = new Map<string, Promise<unknown>>();

/** After a change, or for another person. Apart from the lists themselves: pages that change one need not read any. */
export const forgetCatalogues = (): void => fetched.clear();
