/** Where to go after signing in: a path of this application; anything else, also what a browser would read as another origin, is the start page. */
export function ownPath(wished: string | null): string {
  if (wished === null || !wished.startsWith('/')) return '/';
  try {
    const base = 'http://bellwether.invalid';
    const url = new URL(wished, base);
    return url.origin === base ? url.pathname + url.search + url.hash : '/';
  } catch {
    return '/';
  }
}
