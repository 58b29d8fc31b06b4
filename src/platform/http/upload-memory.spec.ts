import { UploadMemory } from './upload-memory';

const MEBIBYTE = 1024 * 1024;
const refused = expect.objectContaining({ code: 'unavailable', retryAfter: expect.any(Number) });

describe('memory for uploads', () => {
  const uploads: UploadMemory[] = [];
  const of = (organization: string): UploadMemory => {
    const upload = new UploadMemory(organization);
    uploads.push(upload);
    return upload;
  };
  afterEach(() => uploads.splice(0).forEach((upload) => upload.release()));

  it('leaves half of it to others, however much one organization sends', () => {
    of('a').take(100 * MEBIBYTE);
    expect(() => of('a').take(100 * MEBIBYTE)).toThrow(refused);
    uploads.at(-1)?.release();
    of('a').take(28 * MEBIBYTE);
    of('b').take(128 * MEBIBYTE);
    expect(() => of('c').take(1)).toThrow(refused);
  });

  it('is free again once released, and only once', () => {
    const upload = of('a');
    upload.take(128 * MEBIBYTE);
    upload.release();
    upload.release();
    const next = of('a');
    next.take(128 * MEBIBYTE);
    expect(() => of('a').take(1)).toThrow(refused);
  });

  it('counts nothing that arrives after the release', () => {
    const upload = of('a');
    upload.release();
    upload.take(200 * MEBIBYTE);
    of('a').take(128 * MEBIBYTE);
  });
});
