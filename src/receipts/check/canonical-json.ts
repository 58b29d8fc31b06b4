/**
 * JSON in one spelling (RFC 8785, JSON Canonicalization Scheme): members by name, numbers and texts as ECMAScript writes
 * them. Absent members are left out. Lone surrogates, which the RFC refuses, are escaped.
 * @throws RangeError for a number that JSON cannot hold
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item: unknown) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null) return canonicalObject(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('JSON holds finite numbers only');
  return JSON.stringify(value ?? null);
}

function canonicalObject(value: object): string {
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}
