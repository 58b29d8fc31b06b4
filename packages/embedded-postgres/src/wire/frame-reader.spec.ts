import { FrameReader } from './session';
import { cstring, frame, ProtocolError, query, sync } from './messages';

const started = (): FrameReader => {
  const reader = new FrameReader();
  reader.startupDone();
  return reader;
};

describe('the frame reader', () => {
  it('finds the same messages however the bytes are cut', () => {
    const messages = [query('SELECT 1'), frame('P', cstring(''), cstring('x'.repeat(300))), sync];
    const bytes = Buffer.concat(messages);
    for (const size of [1, 2, 3, 7, 64, bytes.length]) {
      const reader = started();
      const found: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) {
        reader.push(bytes.subarray(at, at + size));
        for (let next = reader.next(); next; next = reader.next()) found.push(next.frame);
      }
      expect(found).toEqual(messages);
    }
  });

  it('reads the first message without a type', () => {
    const reader = new FrameReader();
    const startup = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
    reader.push(Buffer.concat([startup, sync]));
    expect(reader.next()).toEqual({ type: '', frame: startup });
    reader.startupDone();
    expect(reader.next()).toMatchObject({ type: 'S' });
    expect(reader.next()).toBeNull();
  });

  it.each([
    ['an unknown type', [33, 0, 0, 0, 4]],
    ['a length below its own size', [81, 0, 0, 0, 3]],
    ['a negative length', [81, 255, 255, 255, 255]],
    ['a length beyond the limit', [81, 127, 255, 255, 255]],
  ])('refuses %s before the rest arrives', (_name, bytes) => {
    const reader = started();
    reader.push(Buffer.from(bytes));
    expect(() => reader.next()).toThrow(ProtocolError);
  });
});
