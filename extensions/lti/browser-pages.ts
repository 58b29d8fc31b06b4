import { randomBytes } from 'node:crypto';
import type { Response } from 'express';
import type { Refusal, RefusedLaunch } from './launch-claims';
import { ca } from './pages/texts/ca';
import { en } from './pages/texts/en';
import { es } from './pages/texts/es';
import { eu } from './pages/texts/eu';
import type { Explained, Explanation, InstructorExplanation, PageTexts } from './pages/texts/page-texts.types';
import { PICKER_TEXTS, type PickerTexts } from './pages/texts/picker-texts';

const TEXTS: Readonly<Record<string, PageTexts>> = { en, es, ca, eu };

export interface PageLanguage {
  readonly code: string;
  readonly texts: PageTexts;
}

/** The first known language of the platform's locale, else of `Accept-Language` (RFC 9110 §12.5.4), else English. */
export function languageOf(locale: string | null, accepted: string | undefined): PageLanguage {
  const wanted = [locale ?? '', ...(accepted ?? '').split(',')].map((tag) => tag.trim().toLowerCase().slice(0, 2));
  const code = wanted.find((tag) => Object.hasOwn(TEXTS, tag)) ?? 'en';
  return { code, texts: TEXTS[code] ?? en };
}

/** A small page of its own, without the web UI. `body` is HTML. */
export interface Page {
  readonly status: number;
  readonly title: string;
  readonly body: string;
  /** Runs after the page was read. */
  readonly script?: { readonly code: string; readonly values: unknown };
  /** The script calls this service and posts a form to the platform. */
  readonly asksService?: boolean;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter);

/** JSON inside a script element: no end tag can begin in it. */
const inScript = (values: unknown): string => JSON.stringify(values).replaceAll('<', '\\u003c');

const STYLE = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem}
h1{font-size:1.4rem;line-height:1.3}.code{opacity:.75;font-size:.9rem}
a.button{display:inline-block;padding:.6rem 1rem;border-radius:.4rem;background:#1f4fa3;color:#fff;text-decoration:none}
a.button:focus-visible{outline:3px solid currentColor;outline-offset:2px}[hidden]{display:none}
dl{margin:1rem 0}dt{opacity:.75;font-size:.9rem}dd{margin:0 0 .5rem;font-weight:600;overflow-wrap:anywhere}
fieldset{border:0;margin:0 0 1rem;padding:0}legend{font-weight:600}label{display:block;margin:.3rem 0}small{display:block;opacity:.75;margin-left:1.6rem}
input,button{font:inherit}input[name=title]{width:100%;box-sizing:border-box}button{padding:.6rem 1rem}`;

/**
 * Answers with a page that its sender may show in a frame. It acts by links and forms of this service only, which other
 * sites cannot press unseen: they begin a launch anew or open one that is the reader's own.
 */
export function sendPage(response: Response, { code, texts }: PageLanguage, page: Page): void {
  const nonce = randomBytes(16).toString('base64');
  const { script } = page;
  const scripts =
    script === undefined
      ? ''
      : `<script type="application/json" id="values">${inScript(script.values)}</script><script nonce="${nonce}">${script.code}</script>`;
  response.removeHeader('X-Frame-Options');
  response.set({
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': [
      `default-src 'none'`,
      `style-src 'nonce-${nonce}'`,
      ...(script === undefined ? [] : [`script-src 'nonce-${nonce}'`]),
      ...(page.asksService === true ? [`connect-src 'self'`, 'form-action http: https:'] : [`form-action 'self'`]),
      `base-uri 'none'`,
      'frame-ancestors http: https:',
    ].join('; '),
  });
  response.status(page.status).type('html').send(`<!doctype html>
<html lang="${code}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title || texts.refused)}</title><style nonce="${nonce}">${STYLE}</style></head>
<body><main>${page.body}</main>${scripts}</body></html>
`);
}

const AGAIN: readonly Refusal[] = ['bad_request', 'unknown_state', 'expired', 'nonce'];
const FOR_INSTRUCTORS: Readonly<Partial<Record<Refusal, InstructorExplanation>>> = {
  no_assistant: 'none',
  assistant_missing: 'missing',
  assistant_unpublished: 'unpublished',
  lti11_off: 'lti11_off',
  lti11_ended: 'lti11_ended',
};
const OTHERS: Readonly<Partial<Record<Refusal, Explanation>>> = {
  platform_unavailable: 'unavailable',
  role: 'role',
  role_unknown: 'role_unknown',
  no_assistant: 'not_ready',
  assistant_missing: 'not_ready',
  assistant_unpublished: 'not_ready',
  organization: 'organization',
  disabled: 'disabled',
  administrator: 'administrator',
  sign_on_only: 'sign_on_only',
  lti11_off: 'lti11_off',
  lti11_ended: 'lti11_ended',
};
const STATUS: Readonly<Partial<Record<Refusal, number>>> = {
  unknown_platform: 404,
  platform_unavailable: 424,
  organization: 403,
  disabled: 403,
  administrator: 403,
  sign_on_only: 403,
  lti11_off: 403,
  lti11_ended: 410,
  role: 403,
  role_unknown: 403,
  no_assistant: 404,
  assistant_missing: 404,
  assistant_unpublished: 404,
};

/** Says what happened and what the reader can do, and nothing that the token said. */
export function refusalPage({ refusal, reader }: RefusedLaunch, language: PageLanguage): Page {
  const { texts } = language;
  const { reason, next } = explained(refusal, reader.role === 'instructor', texts);
  const body = `<h1>${escaped(texts.refused)}</h1><p>${escaped(reason)}</p><p>${escaped(next)}</p>
<p class="code">${escaped(texts.code)}: <code>${refusal}</code></p>`;
  return { status: STATUS[refusal] ?? 400, title: texts.refused, body };
}

function explained(refusal: Refusal, isInstructor: boolean, { reasons, instructor }: PageTexts): Explained {
  const own = FOR_INSTRUCTORS[refusal];
  if (isInstructor && own !== undefined) return instructor[own];
  return reasons[OTHERS[refusal] ?? (AGAIN.includes(refusal) ? 'again' : 'setup')];
}

/** Fills the form with what the platform accepts, sends the choice, and posts the signed answer to the platform. */
const SCRIPT = `const { id, texts } = JSON.parse(document.getElementById('values').textContent);
const address = '/api/v1/lti/deep-linking/' + encodeURIComponent(id);
const form = document.getElementById('choice');
const status = document.getElementById('status');
const at = (name) => document.getElementById(name);
const fail = (text) => { status.textContent = text; status.hidden = false; };
const chosen = () => [...form.querySelectorAll('input[name=assistant]:checked')];
function follow() {
  const boxes = chosen();
  at('several').hidden = boxes.length < 2 || !form.dataset.multiple;
  at('named').hidden = !at('several').hidden && form.elements.way.value === 'separate';
  if (!form.elements.title.dataset.typed) form.elements.title.value = boxes.map((box) => box.dataset.name).join(', ').slice(0, 200);
}
fetch(address).then((answer) => answer.ok ? answer.json() : Promise.reject(answer.status)).then((found) => {
  if (found.assistants.length === 0) return fail(texts.none);
  if (found.course_title) at('course').textContent = texts.into + ': ' + found.course_title;
  if (found.multiple) form.dataset.multiple = 'true';
  at('grading').hidden = !found.line_items;
  for (const { id, name, description } of found.assistants) {
    const label = document.createElement('label');
    const box = Object.assign(document.createElement('input'), { type: 'checkbox', name: 'assistant', value: id });
    box.dataset.name = name;
    label.append(box, ' ' + name);
    if (description) label.append(Object.assign(document.createElement('small'), { textContent: description }));
    at('assistants').append(label);
  }
  form.hidden = false;
  follow();
}).catch(() => fail(texts.failed));
form.elements.title.addEventListener('input', () => { form.elements.title.dataset.typed = 'true'; });
form.addEventListener('change', follow);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const boxes = chosen();
  if (boxes.length === 0) return fail(texts.missing);
  const grades = !at('grading').hidden && form.elements.grades.checked;
  const more = grades ? { line_item: { maximum: Number(form.elements.maximum.value) } } : {};
  const reading = form.elements.reading.value;
  if (reading) more.readable_as = reading;
  const isSeparate = !at('several').hidden && form.elements.way.value === 'separate';
  const links = isSeparate
    ? boxes.map((box) => ({ title: box.dataset.name, assistants: [Number(box.value)], ...more }))
    : [{ title: form.elements.title.value, assistants: boxes.map((box) => Number(box.value)), ...more }];
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ links }) };
  fetch(address, init).then((answer) => answer.json().then((body) => answer.ok ? body : Promise.reject(body))).then((body) => {
    const back = Object.assign(document.createElement('form'), { method: 'post', action: body.return_url });
    back.append(Object.assign(document.createElement('input'), { type: 'hidden', name: 'JWT', value: body.jwt }));
    document.body.append(back);
    back.submit();
  }).catch((problem) => fail((problem && problem.detail) || texts.failed));
});`;

const radio = (name: 'way' | 'reading', value: string, text: string, checked = false): string =>
  `<label><input type="radio" name="${name}" value="${value}"${checked ? ' checked' : ''}> ${escaped(text)}</label>`;

const fields = (texts: PickerTexts): string => `
<fieldset id="assistants"><legend>${escaped(texts.assistants)}</legend></fieldset>
<fieldset id="several" hidden>${radio('way', 'together', texts.together, true)}${radio('way', 'separate', texts.separate)}</fieldset>
<p id="named"><label>${escaped(texts.linkTitle)}<br><input name="title" maxlength="200"></label></p>
<fieldset><legend>${escaped(texts.conversations)}</legend>${radio('reading', '', texts.unread, true)}
${radio('reading', 'named', texts.named)}${radio('reading', 'pseudonymous', texts.pseudonymous)}</fieldset>
<p id="grading" hidden><label><input type="checkbox" name="grades"> ${escaped(texts.grades)}</label>
<label>${escaped(texts.maximum)} <input type="number" name="maximum" value="10" min="1" max="100000" step="any"></label></p>
<p><button>${escaped(texts.add)}</button></p>`;

/** The page on which an instructor chooses assistants for a course (Deep Linking 2.0). */
export function pickerPage(id: string, { code }: PageLanguage): Page {
  const texts = PICKER_TEXTS[code] ?? PICKER_TEXTS.en;
  return {
    status: 200,
    title: texts.title,
    body: `<h1>${escaped(texts.title)}</h1><p id="course"></p><p id="status" role="alert" hidden></p>
<form id="choice" hidden>${fields(texts)}</form>`,
    script: { values: { id, texts }, code: SCRIPT },
    asksService: true,
  };
}

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
