import { createSecretKey, randomBytes } from 'node:crypto';
import type { LinkedAssistants } from '../../files';
import type { Config } from '../../infrastructure/config';
import type { SecretsService } from '../../infrastructure/secrets';
import { type SourceLinkTarget, SourceLinks } from './source-links';

const uuid = (n: number): string => `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`;
const target: SourceLinkTarget = {
  organizationId: uuid(1),
  knowledgeBaseId: uuid(2),
  documentId: uuid(3),
  ownerId: uuid(4),
  readerId: uuid(5),
  assistantId: 7,
};
const key = createSecretKey(randomBytes(32));
const LINKED: LinkedAssistants = { isLive: () => Promise.resolve(false), mayUse: () => Promise.resolve(false) };

function links({ keys = [key], publicUrl = null as string | null, ttlSeconds = 60 } = {}): SourceLinks {
  const config = { http: { publicUrl }, sourceLinks: { ttlSeconds } } as unknown as Config;
  return new SourceLinks(config, { derivedKeys: () => keys } as unknown as SecretsService, LINKED);
}
const tokenOf = (link: string): string => link.split('link=')[1] ?? '';

describe('signing a source link', () => {
  it('names the target for the configured time', () => {
    const read = links().read(tokenOf(links().sign(target)));
    expect(read).toMatchObject({ ...target, expired: false });
    expect(read?.expiresAt).toBeGreaterThan(Date.now() / 1000 + 50);
    expect(links().read(tokenOf(links({ ttlSeconds: -1 }).sign(target)))?.expired).toBe(true);
  });

  it('falls back to the route that asks for a credential when there is no key', () => {
    expect(links({ keys: [], publicUrl: 'https://x.edu/' }).sign(target)).toBe(
      `https://x.edu/api/v1/knowledge-bases/${uuid(2)}/documents/${uuid(3)}/content`,
    );
  });
});

describe('links in a stored text', () => {
  const stale = links({ ttlSeconds: -1, publicUrl: 'https://x.edu' }).sign(target);
  const reader = (userId: string, organizationId = target.organizationId) => ({ organizationId, userId });

  it('are good again for the one they were given to, on the rights they were given on', () => {
    const text = links().renew(`1. [Cells](${stale}#page=2) and ${stale}.`, reader(target.readerId));
    const [first, second] = [...text.matchAll(/link=([0-9a-f]+)/g)].map((match) => links().read(match[1]));
    expect(first).toMatchObject({ ...target, expired: false });
    expect(second).toMatchObject({ ...target, expired: false });
    expect(text.replace(/link=[0-9a-f]+/g, 'T')).toBe(
      '1. [Cells](https://x.edu/api/v1/sources?T#page=2) and https://x.edu/api/v1/sources?T.',
    );
  });

  it('lead others on with their own rights only', () => {
    const renewed = links().read(tokenOf(links().renew(stale, reader(uuid(9)))));
    expect(renewed).toMatchObject({
      ...target,
      ownerId: uuid(9),
      readerId: uuid(9),
      assistantId: null,
      expired: false,
    });
  });

  it('lead the one they were given to on with their own rights when the assistant is closed to them', () => {
    const text = links().renew(stale, reader(target.readerId), { ownRightsOnly: true });
    expect(links().read(tokenOf(text))).toMatchObject({
      ...target,
      ownerId: target.readerId,
      assistantId: null,
      expired: false,
    });
  });

  it('lead everybody else to the route that asks for a credential, always with the same bytes', () => {
    const route = `https://x.edu/api/v1/knowledge-bases/${target.knowledgeBaseId}/documents/${target.documentId}/content`;
    expect(links().withoutTokens(`{"url":"${stale}#page=2"}`)).toBe(`{"url":"${route}#page=2"}`);
    const foreign = links({ keys: [createSecretKey(randomBytes(32))] }).sign(target);
    expect(links().withoutTokens(foreign)).toBe(foreign);
  });

  it.each([
    ['of another organization', stale, reader(target.readerId, uuid(8))],
    [
      'signed by nobody we know',
      links({ keys: [createSecretKey(randomBytes(32))] }).sign(target),
      reader(target.readerId),
    ],
    ['cut short', stale.slice(0, -2), reader(target.readerId)],
    ['that go on', `${stale}ab`, reader(target.readerId)],
    ['to elsewhere', 'https://else.example/api/v1/sources?link=1', reader(target.readerId)],
  ])('stay what they are: %s', (_, text, who) => {
    expect(links().renew(text, who)).toBe(text);
  });
});
