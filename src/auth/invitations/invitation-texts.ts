import type { Mail } from '../../platform/mail';

export const MAIL_LANGUAGES = ['en', 'es', 'ca', 'eu'] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

export interface InvitationFacts {
  readonly to: string;
  readonly name: string;
  readonly organization: string;
  readonly url: string;
  readonly expiresAt: Date;
}

interface Texts {
  readonly subject: (organization: string) => string;
  readonly greeting: (name: string) => string;
  readonly invited: (organization: string) => string;
  readonly open: string;
  readonly action: string;
  readonly rules: (until: string) => string;
  readonly mistake: string;
}

const TEXTS: Readonly<Record<MailLanguage, Texts>> = {
  en: {
    subject: (organization) => `Invitation to ${organization}`,
    greeting: (name) => `Hello ${name},`,
    invited: (organization) => `You can now use the learning assistants of ${organization}.`,
    open: 'Open this link to sign in:',
    action: 'Sign in',
    rules: (until) => `The link works once, until ${until}. Do not pass it on: it signs in as you.`,
    mistake: 'If you did not expect this e-mail, ignore it.',
  },
  es: {
    subject: (organization) => `Invitación a ${organization}`,
    greeting: (name) => `Hola, ${name}:`,
    invited: (organization) => `Ya puede usar los asistentes de aprendizaje de ${organization}.`,
    open: 'Abra este enlace para iniciar sesión:',
    action: 'Iniciar sesión',
    rules: (until) =>
      `El enlace funciona una sola vez, hasta el ${until}. No lo comparta: inicia sesión con su nombre.`,
    mistake: 'Si no esperaba este correo, ignórelo.',
  },
  ca: {
    subject: (organization) => `Invitació a ${organization}`,
    greeting: (name) => `Hola, ${name}:`,
    invited: (organization) => `Ja podeu fer servir els assistents d’aprenentatge de ${organization}.`,
    open: 'Obriu aquest enllaç per iniciar la sessió:',
    action: 'Inicia la sessió',
    rules: (until) =>
      `L’enllaç funciona una sola vegada, fins al ${until}. No el compartiu: inicia la sessió amb el vostre nom.`,
    mistake: 'Si no esperàveu aquest correu, ignoreu-lo.',
  },
  eu: {
    subject: (organization) => `Gonbidapena: ${organization}`,
    greeting: (name) => `Kaixo, ${name}:`,
    invited: (organization) => `Orain erakunde honen ikasketa-laguntzaileak erabil ditzakezu: ${organization}.`,
    open: 'Ireki esteka hau saioa hasteko:',
    action: 'Hasi saioa',
    rules: (until) =>
      `Estekak behin bakarrik balio du, data honetara arte: ${until}. Ez partekatu: zure izenean hasten du saioa.`,
    mistake: 'Mezu hau espero ez bazenuen, ez egin kasurik.',
  },
};

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

export function invitationMail(language: MailLanguage, facts: InvitationFacts): Mail {
  const { to, name, organization, url, expiresAt } = facts;
  const texts = TEXTS[language];
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  const until = `${new Intl.DateTimeFormat(language, format).format(expiresAt)} UTC`;
  const before = [texts.greeting(name), texts.invited(organization)];
  const after = [texts.rules(until), texts.mistake];
  const paragraph = (text: string): string => `<p>${escaped(text)}</p>`;
  const button = `<p><a href="${escaped(url)}">${escaped(texts.action)}</a></p>`;
  const body = [
    ...before.map(paragraph),
    paragraph(texts.open),
    button,
    `<p>${escaped(url)}</p>`,
    ...after.map(paragraph),
  ];
  return {
    to,
    subject: texts.subject(organization),
    text: [...before, `${texts.open}\n${url}`, ...after].join('\n\n'),
    html: `<!doctype html><html lang="${language}"><body>${body.join('\n')}</body></html>`,
  };
}
