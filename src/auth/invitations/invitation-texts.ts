import { type Mail, mailDate, type MailLanguage, writtenMail } from '../../infrastructure/mail';

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

export function invitationMail(language: MailLanguage, facts: InvitationFacts): Mail {
  const { to, name, organization, url, expiresAt } = facts;
  const { subject, greeting, invited, open, action, rules, mistake } = TEXTS[language];
  const link = { intro: open, label: action, url };
  const parts = [greeting(name), invited(organization), link, rules(mailDate(language, expiresAt)), mistake];
  return writtenMail({ to, subject: subject(organization), language, parts });
}
