import { aspectRatioOf } from './banana-img.connector';

describe('the shape of a picture', () => {
  it.each([
    ['1024x1024', '1:1'],
    ['1024x1536', '2:3'],
    ['1792x1024', '16:9'],
    ['9:16', '9:16'],
    ['100x1', '21:9'],
    ['auto', null],
    ['0x5', null],
    ['1x', null],
    [7, null],
    [undefined, null],
  ])('%j is drawn as %s', (size, ratio) => expect(aspectRatioOf(size)).toBe(ratio));
});
