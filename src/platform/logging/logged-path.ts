/** Of a link that signs in, the last part is the credential. Proxies may ask by the whole address (RFC 9112 §3.2.2). */
const SIGN_IN_LINK = /(\/sign-in\/).+/i;

/** A path as it may stand in the log: without its query, which may hold what people typed, and without credentials. */
export const loggedPath = (url: string): string => (url.split('?', 1)[0] ?? '').replace(SIGN_IN_LINK, '$1…');
