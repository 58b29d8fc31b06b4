const SCIM_PATH = /^\/scim(\/|$)/i;

/** Routes for directories, with credentials and errors of their own. */
export const isScimPath = (path: string): boolean => SCIM_PATH.test(path);
