import { type Mail, mailDate, type MailLanguage, writtenMail } from '../../../infrastructure/mail';

export interface NoticeFacts {
  readonly to: string;
  readonly name: string;
  readonly organization: string;
  /** Null for an organization that was restored. */
  readonly eraseAfter: Date | null;
}

interface Texts {
  readonly greeting: (name: string) => string;
  readonly endedSubject: (organization: string) => string;
  readonly ended: (organization: string) => string;
  readonly erased: (date: string) => string;
  readonly remedy: string;
  readonly restoredSubject: (organization: string) => string;
  readonly restored: (organization: string) => string;
}

const TEXTS: Readonly<Record<MailLanguage, Texts>> = {
  en: {
    greeting: (name) => `Hello ${name},`,
    endedSubject: (organization) => `${organization} has ended its learning assistants`,
    ended: (organization) =>
      `${organization} does not offer its learning assistants here any more. You cannot sign in, and the assistants do not answer.`,
    erased: (date) => `On ${date} your conversations, assistants, documents and your account there are deleted.`,
    remedy: 'Until then everything can be restored. If you need your data, write to your institution before that day.',
    restoredSubject: (organization) => `The learning assistants of ${organization} are back`,
    restored: (organization) =>
      `The learning assistants of ${organization} work again. Nothing was deleted, and you can sign in as before.`,
  },
  es: {
    greeting: (name) => `Hola, ${name}:`,
    endedSubject: (organization) => `${organization} cierra sus asistentes de aprendizaje`,
    ended: (organization) =>
      `${organization} ya no ofrece aquí sus asistentes de aprendizaje. No puede iniciar sesión y los asistentes no responden.`,
    erased: (date) => `El ${date} se borrarán sus conversaciones, asistentes y documentos, y también su cuenta allí.`,
    remedy: 'Hasta entonces todo se puede recuperar. Si necesita sus datos, escriba a su institución antes de ese día.',
    restoredSubject: (organization) => `Los asistentes de aprendizaje de ${organization} han vuelto`,
    restored: (organization) =>
      `Los asistentes de aprendizaje de ${organization} funcionan de nuevo. No se borró nada y puede iniciar sesión como antes.`,
  },
  ca: {
    greeting: (name) => `Hola, ${name}:`,
    endedSubject: (organization) => `${organization} tanca els seus assistents d’aprenentatge`,
    ended: (organization) =>
      `${organization} ja no ofereix aquí els seus assistents d’aprenentatge. No podeu iniciar la sessió i els assistents no responen.`,
    erased: (date) =>
      `El ${date} s’esborraran les vostres converses, assistents i documents, i també el vostre compte allà.`,
    remedy:
      'Fins aleshores tot es pot recuperar. Si necessiteu les vostres dades, escriviu a la vostra institució abans d’aquell dia.',
    restoredSubject: (organization) => `Els assistents d’aprenentatge de ${organization} han tornat`,
    restored: (organization) =>
      `Els assistents d’aprenentatge de ${organization} tornen a funcionar. No s’ha esborrat res i podeu iniciar la sessió com abans.`,
  },
  eu: {
    greeting: (name) => `Kaixo, ${name}:`,
    endedSubject: (organization) => `Ikasketa-laguntzaileen amaiera: ${organization}`,
    ended: (organization) =>
      `Erakunde honek ez ditu gehiago hemen bere ikasketa-laguntzaileak eskaintzen: ${organization}. Ezin duzu saiorik hasi, eta laguntzaileek ez dute erantzuten.`,
    erased: (date) =>
      `Data honetan zure elkarrizketak, laguntzaileak, dokumentuak eta hango kontua ezabatuko dira: ${date}.`,
    remedy:
      'Ordura arte dena berreskura daiteke. Zure datuak behar badituzu, idatzi zure erakundeari egun hori baino lehen.',
    restoredSubject: (organization) => `Ikasketa-laguntzaileak berriro martxan: ${organization}`,
    restored: (organization) =>
      `Erakunde honen ikasketa-laguntzaileak berriro dabiltza: ${organization}. Ez da ezer ezabatu, eta lehen bezala has dezakezu saioa.`,
  },
};

/** Tells a member that the organization has ended, or is back. */
export function noticeMail(language: MailLanguage, { to, name, organization, eraseAfter }: NoticeFacts): Mail {
  const texts = TEXTS[language];
  const [subject, parts] =
    eraseAfter === null
      ? [texts.restoredSubject, [texts.restored(organization)]]
      : [texts.endedSubject, [texts.ended(organization), texts.erased(mailDate(language, eraseAfter)), texts.remedy]];
  return writtenMail({ to, subject: subject(organization), language, parts: [texts.greeting(name), ...parts] });
}
