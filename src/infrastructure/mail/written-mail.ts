import type { Mail } from './mail.types';

export const MAIL_LANGUAGES = ['en', 'es', 'ca', 'eu'] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

/** A paragraph, or a link with its label. */
export type MailPart = string | { readonly intro: string; readonly label: string; readonly url: string };

export interface WrittenMail extends Pick<Mail, 'to' | 'subject'> {
  readonly language: MailLanguage;
  readonly parts: readonly MailPart[];
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
const paragraph = (text: string): string => `<p>${escaped(text)}</p>`;

function htmlOf(part: MailPart): string[] {
  if (typeof part === 'string') return [paragraph(part)];
  const { intro, label, url } = part;
  return [paragraph(intro), `<p><a href="${escaped(url)}">${escaped(label)}</a></p>`, paragraph(url)];
}

/** The same words as plain text and as HTML. */
export function writtenMail({ to, subject, language, parts }: WrittenMail): Mail {
  const text = parts.map((part) => (typeof part === 'string' ? part : `${part.intro}\n${part.url}`)).join('\n\n');
  const body = parts.flatMap(htmlOf).join('\n');
  return { to, subject, text, html: `<!doctype html><html lang="${language}"><body>${body}</body></html>` };
}

/** A moment in the words of the language. */
export function mailDate(language: MailLanguage, date: Date): string {
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat(language, format).format(date)} UTC`;
}
