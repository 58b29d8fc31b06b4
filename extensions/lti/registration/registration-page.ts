import { escaped, type Page } from '../pages/page';
import type { PageLanguage } from '../pages/page-texts';
import type { RefusedRegistration, RegistrationRefusal } from './registration.errors';
import { REGISTRATION_TEXTS, type RegistrationTexts } from './registration-texts';
import type { Applicant, RegisteredPlatform, RegistrationRequest } from './registrations.service';

const STATUS: Readonly<Record<RegistrationRefusal, number>> = {
  code: 404,
  no_configuration: 400,
  unreachable: 424,
  configuration: 422,
  busy: 409,
  refused: 424,
  taken: 409,
};

const textsOf = ({ code }: PageLanguage): RegistrationTexts => REGISTRATION_TEXTS[code] ?? REGISTRATION_TEXTS.en;

const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  escaped(text).replace(/\{(\w+)\}/g, (whole, name: string) => `<strong>${escaped(values[name] ?? whole)}</strong>`);

const hidden = (name: string, value: string | null): string =>
  value === null ? '' : `<input type="hidden" name="${name}" value="${escaped(value)}">`;

/** Shows who asks. Nothing is registered before the button is pressed. */
export function confirmPage(
  { code, configuration, token }: RegistrationRequest,
  { organization, configuration: platform, host }: Applicant,
  language: PageLanguage,
): Page {
  const texts = textsOf(language);
  return {
    status: 200,
    title: texts.title,
    body: `<h1>${escaped(texts.title)}</h1><p>${filled(texts.asks, { host, organization })}</p>
<dl><dt>${escaped(texts.platform)}</dt><dd>${escaped(host)}</dd><dt>${escaped(texts.issuer)}</dt><dd>${escaped(platform.issuer)}</dd></dl>
<p>${escaped(texts.gets)}</p>
<form method="post" action="/lti/register/${escaped(encodeURIComponent(code))}">${hidden('openid_configuration', configuration)}${hidden('registration_token', token)}<p><button>${escaped(texts.connect)}</button></p></form>`,
  };
}

/** The platform closes the page when it is told (LTI Dynamic Registration 1.0 §3.5). */
const CLOSE = `const home = window.opener || window.parent;
document.getElementById('close').addEventListener('click', () => {
  home.postMessage({ subject: 'org.imsglobal.lti.close' }, '*');
  if (home === window || window.opener) window.close();
});`;

export function registeredPage(
  { host, organization, hasDeployment }: RegisteredPlatform,
  approval: string,
  language: PageLanguage,
): Page {
  const texts = textsOf(language);
  const more = hasDeployment ? '' : `<p>${escaped(texts.deployment)}</p>`;
  return {
    status: 200,
    title: texts.done,
    body: `<h1>${escaped(texts.done)}</h1><p>${filled(texts.waits, { host, organization })}</p>${more}
<p><a class="button" target="_blank" rel="noopener" href="${escaped(approval)}">${escaped(texts.approve)}</a></p>
<p><button id="close" type="button">${escaped(texts.close)}</button></p>`,
    script: { values: null, code: CLOSE },
  };
}

export function refusedRegistrationPage({ refusal, detail }: RefusedRegistration, language: PageLanguage): Page {
  const texts = textsOf(language);
  const { reason, next } = texts.refusals[refusal];
  const words = detail === '' ? '' : `<p class="code"><code>${escaped(detail)}</code></p>`;
  return {
    status: STATUS[refusal],
    title: texts.refused,
    body: `<h1>${escaped(texts.refused)}</h1><p>${escaped(reason)}</p><p>${escaped(next)}</p>${words}
<p class="code">${escaped(language.texts.code)}: <code>${refusal}</code></p>`,
  };
}
