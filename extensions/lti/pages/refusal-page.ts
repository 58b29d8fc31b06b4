import type { RefusedLaunch, Refusal } from '../messages/launch.errors';
import type { PageLanguage } from './page-texts';
import { escaped, type Page } from './page';
import type { Explained, Explanation, InstructorExplanation, PageTexts } from './texts/page-texts.types';

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
