const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
]);

const LAST_CODE_POINT = 0x10ffff;

function ofNumber(code: number): string | null {
  const isScalar = code > 0 && code <= LAST_CODE_POINT && (code < 0xd800 || code > 0xdfff);
  return isScalar ? String.fromCodePoint(code) : null;
}

/** Decodes HTML entities once: `&amp;lt;` becomes `&lt;`. */
export const unescaped = (html: string): string =>
  html.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,4}));/g, (whole, decimal, hex, name) => {
    if (typeof decimal === 'string') return ofNumber(Number(decimal)) ?? whole;
    if (typeof hex === 'string') return ofNumber(Number.parseInt(hex, 16)) ?? whole;
    return NAMED.get(String(name)) ?? whole;
  });
