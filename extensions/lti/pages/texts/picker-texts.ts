export interface PickerTexts {
  readonly title: string;
  readonly into: string;
  readonly none: string;
  readonly assistants: string;
  readonly linkTitle: string;
  readonly together: string;
  readonly separate: string;
  readonly grades: string;
  readonly maximum: string;
  readonly conversations: string;
  readonly unread: string;
  readonly named: string;
  readonly pseudonymous: string;
  readonly add: string;
  readonly failed: string;
  readonly missing: string;
}

export const PICKER_TEXTS: Readonly<Record<string, PickerTexts>> & { readonly en: PickerTexts } = {
  en: {
    title: 'Add assistants to the course',
    into: 'Course',
    none: 'No published assistant is available to you. Publish one in Bellwether, then come back.',
    assistants: 'Assistants',
    linkTitle: 'Title of the link',
    together: 'One link with all chosen assistants',
    separate: 'One link for each assistant',
    grades: 'Add a column for grades',
    maximum: 'Best grade in points',
    conversations: 'Conversations with the students',
    unread: 'Nobody but the student reads them',
    named: 'Teachers of the course read them with names, once the student agrees',
    pseudonymous: 'Teachers of the course read them with pseudonyms, once the student agrees',
    add: 'Add to the course',
    failed: 'The assistants could not be added. Go back to your course and begin again.',
    missing: 'Choose at least one assistant.',
  },
  es: {
    title: 'Añadir asistentes al curso',
    into: 'Curso',
    none: 'No hay ningún asistente publicado para usted. Publique uno en Bellwether y vuelva.',
    assistants: 'Asistentes',
    linkTitle: 'Título del enlace',
    together: 'Un enlace con todos los asistentes elegidos',
    separate: 'Un enlace para cada asistente',
    grades: 'Añadir una columna de calificaciones',
    maximum: 'Calificación máxima en puntos',
    conversations: 'Conversaciones con los estudiantes',
    unread: 'Solo las lee el estudiante',
    named: 'El profesorado del curso las lee con nombres, si el estudiante acepta',
    pseudonymous: 'El profesorado del curso las lee con seudónimos, si el estudiante acepta',
    add: 'Añadir al curso',
    failed: 'No se han podido añadir los asistentes. Vuelva al curso y empiece de nuevo.',
    missing: 'Elija al menos un asistente.',
  },
  ca: {
    title: 'Afegir assistents al curs',
    into: 'Curs',
    none: 'No hi ha cap assistent publicat per a vós. Publiqueu-ne un a Bellwether i torneu.',
    assistants: 'Assistents',
    linkTitle: 'Títol de l’enllaç',
    together: 'Un enllaç amb tots els assistents triats',
    separate: 'Un enllaç per a cada assistent',
    grades: 'Afegir una columna de qualificacions',
    maximum: 'Qualificació màxima en punts',
    conversations: 'Converses amb els estudiants',
    unread: 'Només les llegeix l’estudiant',
    named: 'El professorat del curs les llegeix amb noms, si l’estudiant ho accepta',
    pseudonymous: 'El professorat del curs les llegeix amb pseudònims, si l’estudiant ho accepta',
    add: 'Afegir al curs',
    failed: 'No s’han pogut afegir els assistents. Torneu al curs i comenceu de nou.',
    missing: 'Trieu almenys un assistent.',
  },
  eu: {
    title: 'Gehitu laguntzaileak ikastaroari',
    into: 'Ikastaroa',
    none: 'Ez dago zuretzat argitaratutako laguntzailerik. Argitaratu bat Bellwetherren eta itzuli.',
    assistants: 'Laguntzaileak',
    linkTitle: 'Estekaren izenburua',
    together: 'Esteka bat aukeratutako laguntzaile guztiekin',
    separate: 'Esteka bat laguntzaile bakoitzeko',
    grades: 'Gehitu kalifikazioen zutabea',
    maximum: 'Gehienezko kalifikazioa puntutan',
    conversations: 'Ikasleekin izandako elkarrizketak',
    unread: 'Ikasleak bakarrik irakurtzen ditu',
    named: 'Ikastaroko irakasleek izenekin irakurtzen dituzte, ikasleak onartuz gero',
    pseudonymous: 'Ikastaroko irakasleek ezizenekin irakurtzen dituzte, ikasleak onartuz gero',
    add: 'Gehitu ikastaroari',
    failed: 'Ezin izan dira laguntzaileak gehitu. Itzuli ikastarora eta hasi berriro.',
    missing: 'Aukeratu gutxienez laguntzaile bat.',
  },
};
