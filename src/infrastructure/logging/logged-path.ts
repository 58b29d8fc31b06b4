/** Parts of an address after which a credential stands: of a sign-in, a launch or a registration. Proxies may send an absolute URL (RFC 9112 §3.2.2). */
const CREDENTIAL = /(\/(?:sign-in|lti\/(?:open|arrival|register))\/).+/i;

/** A path without credentials, and without its query, which may hold typed text. */
export const loggedPath = (url: string): string => (url.split('?', 1)[0] ?? '').replace(CREDENTIAL, '$1…');
