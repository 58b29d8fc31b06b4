import type { OutboundBytes, OutboundRequest } from '../../infrastructure/outbound';
import { inlineImages } from './inline-images';

const MEBIBYTE = 1024 * 1024;
const PICTURE = Buffer.from('474946383961010001000000003b', 'hex');
const DATA_URL = `data:image/gif;base64,${PICTURE.toString('base64')}`;

type Download = (request: OutboundRequest) => Promise<OutboundBytes>;

const answer = (bytes = PICTURE): OutboundBytes => ({ status: 200, headers: {}, bytes });
const tick = (): Promise<unknown> => new Promise((done) => setImmediate(done));

function load(urls: readonly string[], download: Download, signal = new AbortController().signal) {
  const content = urls.map((url) => ({ type: 'image_url', image_url: { url } }));
  return inlineImages([{ role: 'user', content }], { download }, signal);
}

const addresses = (count: number, name = 'a'): string[] =>
  Array.from({ length: count }, (_, index) => `https://images.test/${name}${index}.gif`);

/** Answers that are held back until `open` is called; what each sends is counted before. */
function gate(bytes: number): { open: () => void; download: Download } {
  let open = (): void => undefined;
  const opened = new Promise<void>((done) => (open = done));
  const download: Download = async ({ take }) => {
    take?.(bytes);
    await opened;
    return answer();
  };
  return { open, download };
}

describe('images of a request', () => {
  it('are loaded three at a time, each address once', async () => {
    let [now, most, calls] = [0, 0, 0];
    const download: Download = async () => {
      calls += 1;
      most = Math.max(most, (now += 1));
      await tick();
      now -= 1;
      return answer();
    };
    const images = await load([...addresses(16), ...addresses(16), DATA_URL], download);
    expect([images.size, calls, most]).toEqual([17, 16, 3]);
    expect(images.get(DATA_URL)).toEqual({ mediaType: 'image/gif', base64: PICTURE.toString('base64') });
  });

  it('may hold 24 MB together, of which an image may hold what is left', async () => {
    const limits: (number | undefined)[] = [];
    const download: Download = async ({ take, maxBytes }) => {
      limits.push(maxBytes);
      take?.(10 * MEBIBYTE);
      return answer();
    };
    await expect(load(addresses(3), download)).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(limits.map((limit) => (limit ?? 0) / MEBIBYTE)).toEqual([20, 14, 4]);
    const large = `data:image/gif;base64,${'A'.repeat(17 * MEBIBYTE)}`;
    await expect(load([large, `${large}AAAA`], download)).rejects.toMatchObject({ code: 'payload_too_large' });
  });

  it('are given up together when one of them fails', async () => {
    const aborted: string[] = [];
    const download: Download = async ({ url, signal }) => {
      if (url.endsWith('/a1.gif')) return { ...answer(), status: 404 };
      await new Promise((done) => signal?.addEventListener('abort', done));
      aborted.push(url);
      throw new Error('aborted');
    };
    await expect(load(addresses(16), download)).rejects.toMatchObject({ code: 'bad_request' });
    expect(aborted).toEqual(['https://images.test/a0.gif', 'https://images.test/a2.gif']);
  });

  it('of all requests hold 96 MB at once; what ended, well or not, counts no more', async () => {
    const slow = gate(20 * MEBIBYTE);
    const held = [1, 2, 3, 4].map((name) => load(addresses(1, `held${name}-`), slow.download));
    await tick();
    const full = { code: 'too_many_requests', retryAfter: 5 };
    await expect(load(addresses(1), slow.download)).rejects.toMatchObject(full);
    slow.open();
    await Promise.all(held);
    const next = [1, 2, 3, 4].map((name) => load(addresses(1, `next${name}-`), slow.download));
    expect((await Promise.all(next)).map(({ size }) => size)).toEqual([1, 1, 1, 1]);
  });
});
