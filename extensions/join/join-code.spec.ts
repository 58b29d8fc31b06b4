import { newJoinCode, readJoinCode } from './join-code';

describe('the code of a class', () => {
  it('has eight letters and digits that are not taken for each other', () => {
    for (let each = 0; each < 200; each += 1) expect(newJoinCode()).toMatch(/^[2-9A-HJKMNP-TV-Z]{8}$/);
  });

  it('is read as people write it', () => {
    expect(readJoinCode(' ab3d-ef7h ')).toBe('AB3DEF7H');
    expect(readJoinCode('ab3d ef7h')).toBe('AB3DEF7H');
  });
});
