/** The address of the next page in a `Link` header (RFC 8288 §3); null for none. */
export function nextPageIn(header: string | undefined, base: string): string | null {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(/<([^<>]*)>((?:\s*;[^,<]*)?)/g)) {
    const relations = /;\s*rel\s*=\s*"?([^";]*)"?/i.exec(parameters)?.[1]?.toLowerCase().split(/\s+/) ?? [];
    if (relations.includes('next') && URL.canParse(target, base)) return new URL(target, base).href;
  }
  return null;
}
