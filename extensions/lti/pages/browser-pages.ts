import { escaped, type Page } from './page';
import type { PageLanguage } from './page-texts';
import type { Explained, PageTexts } from './texts/page-texts.types';

/** The frame in which a platform keeps data for tools (LTI Platform Storage 0.1). */
export interface PlatformStorage {
  /** Name of the frame, or `_parent`. */
  readonly target: string;
  /** Origin of the authorization endpoint: messages go to it and come from it alone. */
  readonly origin: string;
  readonly key: string;
}

/** `ask` sends one message and waits a second for its answer (LTI Client Side postMessages 0.1 §3). */
const ASK = `const values = JSON.parse(document.getElementById('values').textContent);
function ask(subject, more) {
  return new Promise((done) => {
    const id = crypto.randomUUID ? crypto.randomUUID() : String(Math.random());
    const home = window.parent !== window ? window.parent : window.opener;
    let keeper = null;
    try { keeper = !home || values.target === '_parent' ? home : home.frames[values.target] || home; } catch { keeper = home; }
    if (!keeper) return done(null);
    const timer = setTimeout(() => done(null), 1000);
    window.addEventListener('message', ({ origin, data }) => {
      if (origin !== values.origin || !data || data.message_id !== id || data.subject !== subject + '.response') return;
      clearTimeout(timer);
      done(data.error ? null : data);
    });
    keeper.postMessage({ subject, message_id: id, key: values.key, ...more }, values.origin);
  });
}
`;

const button = (href: string, text: string): string =>
  `<a class="button" target="_blank" rel="noopener" href="${escaped(href)}">${escaped(text)}</a>`;

const opening = ({ texts }: PageLanguage): string => `<p id="wait" role="status">${escaped(texts.opening)}</p>`;

const offer = ({ reason, next, button: text }: Explained & { readonly button: string }, href: string): string =>
  `<p>${escaped(reason)}</p><p>${escaped(next)}</p><p>${button(href, text)}</p>`;

/** Has the platform keep the secret, then goes on to it. */
export const keepingPage = (storage: PlatformStorage, secret: string, url: string, language: PageLanguage): Page => ({
  status: 200,
  title: language.texts.opening,
  body: opening(language),
  script: {
    values: { ...storage, secret, url },
    code: `${ASK}ask('lti.put_data', { value: values.secret }).then(() => location.replace(values.url));`,
  },
});

/** The reason why a frame has no cookie. `Secure`, which `SameSite=None` needs, never comes over plain http. */
const cookieless = ({ texts }: PageLanguage, isPlain: boolean): PageTexts['newWindow'] =>
  isPlain ? { ...texts.newWindow, reason: texts.plainHttp } : texts.newWindow;

/** Goes on to an address that is too long for a redirect. */
export const leavingPage = (url: string, language: PageLanguage): Page => ({
  status: 200,
  title: language.texts.opening,
  body: opening(language),
  script: { values: { url }, code: `location.replace(JSON.parse(document.getElementById('values').textContent).url);` },
});

/** Asks the platform for the secret and sends the launch again with it. Without an answer it offers a new window. */
export const askingPage = (
  storage: PlatformStorage,
  launch: { readonly action: string; readonly token: string; readonly state: string; readonly again: string },
  language: PageLanguage,
  isPlain: boolean,
): Page => ({
  status: 200,
  title: language.texts.opening,
  body: `${opening(language)}<div id="offer" hidden>${offer(cookieless(language, isPlain), launch.again)}</div>
<form method="post" action="${escaped(launch.action)}"><input type="hidden" name="id_token" value="${escaped(launch.token)}">
<input type="hidden" name="state" value="${escaped(launch.state)}"><input type="hidden" name="browser"></form>`,
  script: {
    values: storage,
    code: `${ASK}ask('lti.get_data', {}).then((data) => {
  const form = document.forms[0];
  if (data && typeof data.value === 'string') { form.browser.value = data.value; form.submit(); return; }
  document.getElementById('wait').hidden = true;
  document.getElementById('offer').hidden = false;
});`,
  },
});

/** Repeats the launch at the top level, where cookies work. */
export const newWindowPage = (again: string, language: PageLanguage, isPlain: boolean): Page => ({
  status: 403,
  title: language.texts.newWindow.button,
  body: `<h1>${escaped(language.texts.refused)}</h1>${offer(cookieless(language, isPlain), again)}`,
});

/** Opens a checked launch in a new window. */
export const readyPage = (href: string, { texts }: PageLanguage): Page => ({
  status: 200,
  title: texts.ready.reason,
  body: offer(texts.ready, href),
});
