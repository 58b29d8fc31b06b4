import { nextPageIn } from './roster.service';

const BASE = 'https://lms.example/members?limit=2';

describe('the next page in a Link header', () => {
  it.each([
    ['<https://lms.example/members?page=2>; rel="next"', 'https://lms.example/members?page=2'],
    ['<https://lms.example/a?ids=1,2>; rel="first", </members?page=3>; rel=next', 'https://lms.example/members?page=3'],
    ['<https://lms.example/x>; rel="last next"', 'https://lms.example/x'],
    ['<https://lms.example/x>; rel="prev"', null],
    ['<::>; rel=next', 'https://lms.example/::'],
    ['next', null],
    [undefined, null],
  ])('is read from %s', (header, expected) => expect(nextPageIn(header, BASE)).toBe(expected));
});
