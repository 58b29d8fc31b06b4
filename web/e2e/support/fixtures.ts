import { test as base, expect, type BrowserContext, type Locator, type Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { nextLocale, speak } from './languages';
import { type Service, startService } from './service';

/** The service's API with the administrator's key; anything but a success throws with the answer. */
export interface Api {
  get<Answer = any>(path: string): Promise<Answer>;
  post<Answer = any>(path: string, body?: unknown): Promise<Answer>;
  put<Answer = any>(path: string, body?: unknown): Promise<Answer>;
  patch<Answer = any>(path: string, body?: unknown): Promise<Answer>;
  del(path: string): Promise<void>;
  /** Uploads texts as files under the field `files`. */
  upload<Answer = any>(path: string, files: Readonly<Record<string, string>>): Promise<Answer>;
}

interface WorkerFixtures {
  service: Service;
  api: Api;
  cookie: { name: string; value: string };
}

interface TestFixtures {
  /** Fails the test when the page logs an error, breaks its content policy or asks another origin. */
  guarded: void;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SHOTS = join(import.meta.dirname, '../../screenshots');
const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export function apiOf({ url, key }: Pick<Service, 'url' | 'key'>): Api {
  const call = async (method: string, path: string, body?: unknown): Promise<any> => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : isForm ? body : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    get: (path) => call('GET', path),
    post: (path, body = {}) => call('POST', path, body),
    put: (path, body = {}) => call('PUT', path, body),
    patch: (path, body) => call('PATCH', path, body),
    del: (path) => call('DELETE', path),
    upload: (path, files) => {
      const form = new FormData();
      for (const [name, text] of Object.entries(files)) form.append('files', new Blob([text]), name);
      return call('POST', path, form);
    },
  };
}

/** A session of the key's owner, as the sign-in page opens it. */
export async function sessionOf(url: string, key: string): Promise<{ name: string; value: string }> {
  const response = await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ api_key: key }),
  });
  const [name, value] = (response.headers.getSetCookie()[0] ?? '').split(';')[0]?.split('=') ?? [];
  if (!response.ok || name === undefined || value === undefined) {
    throw new Error(`No session: ${response.status} ${await response.text()}`);
  }
  return { name, value };
}

export const signIn = async (context: BrowserContext, url: string, key: string): Promise<void> =>
  context.addCookies([{ ...(await sessionOf(url, key)), url, httpOnly: true, sameSite: 'Lax' }]);

export const test = base.extend<TestFixtures, WorkerFixtures>({
  service: [
    async ({}, use) => {
      const service = await startService();
      // Its own spec walks through the checklist.
      await apiOf(service).patch('/api/v1/first-steps', { closed: true });
      await use(service);
      await service.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  api: [async ({ service }, use) => use(apiOf(service)), { scope: 'worker' }],
  cookie: [async ({ service }, use) => use(await sessionOf(service.url, service.key)), { scope: 'worker' }],
  baseURL: async ({ service }, use) => use(service.url),
  storageState: async ({ service, cookie }, use) =>
    use({
      cookies: [
        {
          ...cookie,
          domain: new URL(service.url).hostname,
          path: '/',
          expires: -1,
          httpOnly: true,
          secure: false,
          sameSite: 'Lax',
        },
      ],
      origins: [],
    }),
  guarded: [
    async ({ page, service }, use) => {
      const faults = watch(page, service.url);
      await use();
      expect(faults, 'errors in the page').toEqual([]);
    },
    { auto: true },
  ],
});

/**
 * Faults that a page must never have. A refused request of the API is shown by the browser too and is no fault of the
 * page.
 */
export function watch(page: Page, origin: string): string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (/^https?:/.test(url) && !url.startsWith(origin)) faults.push(`asked ${url}`);
  });
  return faults;
}

/**
 * No violation by axe, and no sideways scrolling at 320 px (WCAG 1.4.10), which axe does not see. An open dialog is asked
 * in another language, too; pages are by `holdEverywhere`.
 */
export async function check(page: Page): Promise<void> {
  // A sticky header over what is scrolled under it would be taken for targets too close to each other.
  await page.evaluate(() => scrollTo(0, 0));
  await checkRules(page);
  await checkWidth(page);
  if ((await page.locator('dialog[open]').count()) === 0) return;
  // The same once more takes time that the test has not counted with.
  base.info().setTimeout(base.info().timeout + 15_000);
  await speak(page, nextLocale('dialogs'));
  await checkRules(page);
  await checkWidth(page);
  await speak(page, 'en');
}

/** A page that changes while it is asked has, for axe, a button that is enabled and looks as it did when it was not. */
const settled = (page: Page): Promise<void> =>
  page.evaluate(
    ({ quietMs, mostMs }) =>
      new Promise<void>((done) => {
        const end = (): void => {
          watching.disconnect();
          done();
        };
        let quiet = setTimeout(end, quietMs);
        const watching = new MutationObserver(() => {
          clearTimeout(quiet);
          quiet = setTimeout(end, quietMs);
        });
        watching.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
        setTimeout(end, mostMs);
      }),
    { quietMs: 100, mostMs: 2_000 },
  );

/** Nothing lies over anything: notes are closed, and the page is not scrolled under its header. Axe calls what is covered too small. */
export async function uncover(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const button of document.querySelectorAll<HTMLButtonElement>('.toasts button')) button.click();
    scrollTo(0, 0);
  });
}

export async function checkRules(page: Page): Promise<void> {
  await settled(page);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const violations = await page.evaluate(async (tags) => {
    const { axe } = window as unknown as { axe: { run(context: Document, options: unknown): Promise<any> } };
    const result = await axe.run(document, { runOnly: tags, resultTypes: ['violations'] });
    return result.violations.map((found: any) => ({
      rule: found.id,
      nodes: found.nodes.slice(0, 5).map((node: any) => `${node.html} ${node.failureSummary}`),
    }));
  }, AXE_TAGS);
  // Soft: one run tells of everything that is wrong.
  expect.soft(violations, page.url()).toEqual([]);
}

export const checkWidth = (page: Page): Promise<void> => checkWidths(page, (width) => width());

/** `each` asks for the width of the narrow page, as often as the page changes. */
export async function checkWidths(page: Page, each: (width: () => Promise<void>) => Promise<void>): Promise<void> {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 800 });
  await each(() => fitsWidth(page));
  if (size !== null) await page.setViewportSize(size);
}

async function fitsWidth(page: Page): Promise<void> {
  const width = (): Promise<number> =>
    page.evaluate(() => {
      const { scrollWidth } = document.documentElement;
      // What a dialog holds scrolls in the dialog, downwards only.
      const inside = [...document.querySelectorAll('dialog[open] > .body')].map(
        (body) => 320 + body.scrollWidth - body.clientWidth,
      );
      return Math.max(scrollWidth, ...inside);
    });
  await expect
    .poll(width, page.url())
    .toBeLessThanOrEqual(320)
    .catch(async (failure: unknown) => {
      const wide = await page.evaluate(() =>
        [...document.querySelectorAll('body *')]
          .filter((element) => element.getBoundingClientRect().right > 320)
          .map(({ tagName, className, textContent }) => `${tagName}.${className}: ${textContent?.slice(0, 40)}`),
      );
      throw new Error(`Wider than 320 px: ${wide.join('\n')}`, { cause: failure });
    });
}

/** Writes `web/screenshots/<name>-{light,dark}-{desktop,phone}.png` for a person to look at; `SCREENSHOTS=none` leaves them out. */
export async function shot(page: Page, name: string): Promise<void> {
  if (process.env['SCREENSHOTS'] === 'none') return;
  const before = page.viewportSize();
  // A dialog covers what is in view; without one the page is shown whole, from its top.
  const fullPage = (await page.locator('dialog[open]').count()) === 0;
  if (fullPage) await page.evaluate(() => scrollTo(0, 0));
  for (const [form, size] of Object.entries({
    desktop: { width: 1280, height: 900 },
    phone: { width: 390, height: 844 },
  })) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.screenshot({ path: join(SHOTS, `${name}-${colorScheme}-${form}.png`), fullPage });
    }
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  if (before !== null) await page.setViewportSize(before);
}

const IMAGES = join(import.meta.dirname, '../../../docs/images');

/** Writes a picture of the guide, `docs/images/<name>.png`, as a reader with a wide screen sees the page: `PICTURES=write`. */
export async function picture(page: Page, name: string, at?: Locator): Promise<void> {
  if (process.env['PICTURES'] !== 'write') return;
  const before = page.viewportSize();
  await page.setViewportSize({ width: 1200, height: 760 });
  await uncover(page);
  if (at !== undefined) await at.evaluate((element) => element.scrollIntoView({ block: 'start' }));
  await settled(page);
  await page.screenshot({ path: join(IMAGES, `${name}.png`) });
  if (before !== null) await page.setViewportSize(before);
}

export { expect, type Page };
