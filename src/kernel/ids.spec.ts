import { isUuid, uuidv7 } from './ids';

describe('uuidv7', () => {
  it('starts with the time in milliseconds and carries version and variant', () => {
    const id = uuidv7(0x0123456789ab);
    expect(id).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('differs at every call of one millisecond', () => {
    expect(new Set(Array.from({ length: 1000 }, () => uuidv7(1)))).toHaveProperty('size', 1000);
  });
});

describe('isUuid', () => {
  it.each(['', 'x', '1', '../etc', `${uuidv7()}x`])('refuses %j', (text) => expect(isUuid(text)).toBe(false));
  it('accepts its own ids', () => expect(isUuid(uuidv7())).toBe(true));
});
