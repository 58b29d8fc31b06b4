/**
 * JSON in one spelling (RFC 8785, JSON Canonicalization Scheme): members by name, numbers and texts as ECMAScript writes
 * them. Absent members are left out. Lone surrogates, which the RFC refuses, are escaped.
 * @throws RangeError for a number that JSON cannot hold
 */
export function canonicalJson(value: unknown): string {
  // Joined once: a text would be copied again on each level around it.
  const pieces: string[] = [];
  write(value, pieces);
  return pieces.join('');
}

function write(value: unknown, pieces: string[]): void {
  if (Array.isArray(value)) writeArray(value, pieces);
  else if (typeof value === 'object' && value !== null) writeObject(value, pieces);
  else if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('JSON holds finite numbers only');
  else pieces.push(JSON.stringify(value ?? null));
}

function writeArray(value: readonly unknown[], pieces: string[]): void {
  pieces.push('[');
  for (const [index, item] of value.entries()) {
    if (index > 0) pieces.push(',');
    write(item, pieces);
  }
  pieces.push(']');
}

function writeObject(value: object, pieces: string[]): void {
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  let before = '{';
  for (const [name, member] of members) {
    pieces.push(before, JSON.stringify(name), ':');
    write(member, pieces);
    before = ',';
  }
  pieces.push(members.length === 0 ? '{}' : '}');
}
