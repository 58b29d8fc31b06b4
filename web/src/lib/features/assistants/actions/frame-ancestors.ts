import { received } from '$lib/kit/api/client';

/** Sites that may show a page of the service in a frame, as the policy of that page names them; not its own. */
export async function frameAncestors(page: string): Promise<readonly string[]> {
  const { headers } = await received(fetch(page, { method: 'HEAD', headers: { accept: 'text/html' } }));
  const [, named = ''] = /frame-ancestors ([^;]*)/.exec(headers.get('content-security-policy') ?? '') ?? [];
  return named.split(' ').filter((origin) => /^https?:/.test(origin));
}
