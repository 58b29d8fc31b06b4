/** An address as people enter it: the server, its version or the whole endpoint. */
export function endpointOf(address: string, path: string): string {
  const url = new URL(address);
  const given = url.pathname.replace(/\/+$/, '');
  const [first = ''] = path.split('/');
  if (given.endsWith('/rerank')) url.pathname = given;
  else url.pathname = given.endsWith(`/${first}`) ? given + path.slice(first.length) : `${given}/${path}`;
  return url.href;
}
