import type { Explained } from '../pages/texts/page-texts.types';
import type { RegistrationRefusal } from './registration.errors';

export interface RegistrationTexts {
  readonly title: string;
  /** `{host}`, `{organization}` */
  readonly asks: string;
  readonly platform: string;
  readonly issuer: string;
  readonly gets: string;
  readonly connect: string;
  readonly done: string;
  /** `{host}`, `{organization}` */
  readonly waits: string;
  readonly deployment: string;
  readonly approve: string;
  readonly close: string;
  readonly refused: string;
  readonly refusals: Readonly<Record<RegistrationRefusal, Explained>>;
}

const en: RegistrationTexts = {
  title: 'Connect your learning platform',
  asks: '{host} asks to be connected with Bellwether for {organization}.',
  platform: 'Learning platform',
  issuer: 'Issuer',
  gets: 'The platform then sends name, e-mail address and role of people who open an activity. Teachers can read the list of people and hand over grades.',
  connect: 'Connect',
  done: 'One step is left',
  waits: '{host} is registered. An administrator of {organization} has to approve it before activities open.',
  deployment:
    'The platform named no deployment. Install the tool there, and enter the deployment ID where the platform is approved.',
  approve: 'Approve the platform',
  close: 'Close this page',
  refused: 'The platform was not connected',
  refusals: {
    code: {
      reason: 'This address is not complete, has been used, or has expired.',
      next: 'Make a new one in Bellwether under Organization, Learning platforms, and paste it into your platform.',
    },
    no_configuration: {
      reason: 'The platform did not say where its configuration is.',
      next: 'Paste this address into the page of your platform that registers tools, and do not open it by itself.',
    },
    unreachable: {
      reason: 'The configuration of the platform cannot be read from the server of Bellwether.',
      next: 'Check that the platform can be reached from there. A private address has to be allowed by the operator.',
    },
    configuration: {
      reason: 'The configuration of the platform lacks values that are needed. They are named below.',
      next: 'Complete them at the platform, or enter the platform by hand in Bellwether.',
    },
    busy: {
      reason: 'A registration with this address is under way in another window.',
      next: 'Wait a minute, then try again.',
    },
    refused: {
      reason: 'The platform refused the registration. Its answer stands below.',
      next: 'Begin the registration again at the platform.',
    },
    taken: {
      reason: 'This client of the platform is registered already.',
      next: 'Look for it in Bellwether under Organization, Learning platforms.',
    },
  },
};

const es: RegistrationTexts = {
  title: 'Conectar su plataforma de aprendizaje',
  asks: '{host} pide conectarse con Bellwether para {organization}.',
  platform: 'Plataforma de aprendizaje',
  issuer: 'Emisor',
  gets: 'La plataforma enviará nombre, correo electrónico y rol de quienes abran una actividad. Los docentes pueden leer la lista de personas y entregar calificaciones.',
  connect: 'Conectar',
  done: 'Falta un paso',
  waits: '{host} está registrada. Un administrador de {organization} debe aprobarla antes de que se abran actividades.',
  deployment:
    'La plataforma no ha indicado ningún despliegue. Instale allí la herramienta e introduzca el identificador de despliegue donde se aprueba la plataforma.',
  approve: 'Aprobar la plataforma',
  close: 'Cerrar esta página',
  refused: 'La plataforma no se ha conectado',
  refusals: {
    code: {
      reason: 'Esta dirección no está completa, ya se ha usado o ha caducado.',
      next: 'Cree otra en Bellwether, en Organización, Plataformas de aprendizaje, y péguela en su plataforma.',
    },
    no_configuration: {
      reason: 'La plataforma no ha indicado dónde está su configuración.',
      next: 'Pegue esta dirección en la página de su plataforma que registra herramientas y no la abra por separado.',
    },
    unreachable: {
      reason: 'La configuración de la plataforma no se puede leer desde el servidor de Bellwether.',
      next: 'Compruebe que la plataforma es accesible desde allí. El operador debe permitir las direcciones privadas.',
    },
    configuration: {
      reason: 'A la configuración de la plataforma le faltan valores necesarios. Se nombran abajo.',
      next: 'Complételos en la plataforma o introduzca la plataforma a mano en Bellwether.',
    },
    busy: {
      reason: 'Hay un registro con esta dirección en curso en otra ventana.',
      next: 'Espere un minuto y vuelva a intentarlo.',
    },
    refused: {
      reason: 'La plataforma ha rechazado el registro. Su respuesta está abajo.',
      next: 'Empiece el registro de nuevo en la plataforma.',
    },
    taken: {
      reason: 'Este cliente de la plataforma ya está registrado.',
      next: 'Búsquelo en Bellwether, en Organización, Plataformas de aprendizaje.',
    },
  },
};

const ca: RegistrationTexts = {
  title: 'Connectar la vostra plataforma d’aprenentatge',
  asks: '{host} demana connectar-se amb Bellwether per a {organization}.',
  platform: 'Plataforma d’aprenentatge',
  issuer: 'Emissor',
  gets: 'La plataforma enviarà nom, correu electrònic i rol de les persones que obrin una activitat. Els docents poden llegir la llista de persones i lliurar qualificacions.',
  connect: 'Connectar',
  done: 'Falta un pas',
  waits: '{host} està registrada. Un administrador de {organization} l’ha d’aprovar abans que s’obrin activitats.',
  deployment:
    'La plataforma no ha indicat cap desplegament. Instal·leu-hi l’eina i introduïu l’identificador de desplegament on s’aprova la plataforma.',
  approve: 'Aprovar la plataforma',
  close: 'Tancar aquesta pàgina',
  refused: 'La plataforma no s’ha connectat',
  refusals: {
    code: {
      reason: 'Aquesta adreça no està completa, ja s’ha fet servir o ha caducat.',
      next: 'Creeu-ne una altra a Bellwether, a Organització, Plataformes d’aprenentatge, i enganxeu-la a la plataforma.',
    },
    no_configuration: {
      reason: 'La plataforma no ha indicat on és la seva configuració.',
      next: 'Enganxeu aquesta adreça a la pàgina de la plataforma que registra eines i no l’obriu per separat.',
    },
    unreachable: {
      reason: 'La configuració de la plataforma no es pot llegir des del servidor de Bellwether.',
      next: 'Comproveu que la plataforma és accessible des d’allà. L’operador ha de permetre les adreces privades.',
    },
    configuration: {
      reason: 'A la configuració de la plataforma li falten valors necessaris. S’indiquen a sota.',
      next: 'Completeu-los a la plataforma o introduïu la plataforma a mà a Bellwether.',
    },
    busy: {
      reason: 'Hi ha un registre amb aquesta adreça en curs en una altra finestra.',
      next: 'Espereu un minut i torneu-ho a provar.',
    },
    refused: {
      reason: 'La plataforma ha rebutjat el registre. La seva resposta és a sota.',
      next: 'Comenceu el registre de nou a la plataforma.',
    },
    taken: {
      reason: 'Aquest client de la plataforma ja està registrat.',
      next: 'Busqueu-lo a Bellwether, a Organització, Plataformes d’aprenentatge.',
    },
  },
};

const eu: RegistrationTexts = {
  title: 'Konektatu zure ikaskuntza-plataforma',
  asks: '{host} plataformak Bellwetherrekin konektatzea eskatzen du {organization} erakunderako.',
  platform: 'Ikaskuntza-plataforma',
  issuer: 'Igorlea',
  gets: 'Plataformak jarduera bat irekitzen dutenen izena, helbide elektronikoa eta rola bidaliko ditu. Irakasleek jendearen zerrenda irakur eta kalifikazioak bidal ditzakete.',
  connect: 'Konektatu',
  done: 'Urrats bat falta da',
  waits:
    '{host} erregistratuta dago. {organization} erakundeko administratzaile batek onartu behar du jarduerak ireki aurretik.',
  deployment:
    'Plataformak ez du hedapenik adierazi. Instalatu tresna bertan, eta idatzi hedapenaren identifikatzailea plataforma onartzen den lekuan.',
  approve: 'Onartu plataforma',
  close: 'Itxi orri hau',
  refused: 'Plataforma ez da konektatu',
  refusals: {
    code: {
      reason: 'Helbide hau osatu gabe dago, erabilita dago edo iraungi egin da.',
      next: 'Sortu beste bat Bellwetherren, Erakundea, Ikaskuntza-plataformak atalean, eta itsatsi zure plataforman.',
    },
    no_configuration: {
      reason: 'Plataformak ez du esan bere konfigurazioa non dagoen.',
      next: 'Itsatsi helbide hau zure plataformako tresnak erregistratzeko orrian, eta ez ireki bere kasa.',
    },
    unreachable: {
      reason: 'Plataformaren konfigurazioa ezin da Bellwetherren zerbitzaritik irakurri.',
      next: 'Egiaztatu plataforma handik eskuragarri dagoela. Helbide pribatuak operadoreak baimendu behar ditu.',
    },
    configuration: {
      reason: 'Plataformaren konfigurazioari beharrezko balioak falta zaizkio. Behean daude.',
      next: 'Osatu plataforman, edo idatzi plataforma eskuz Bellwetherren.',
    },
    busy: {
      reason: 'Helbide honekin erregistro bat abian da beste leiho batean.',
      next: 'Itxaron minutu bat eta saiatu berriro.',
    },
    refused: {
      reason: 'Plataformak erregistroa baztertu du. Haren erantzuna behean dago.',
      next: 'Hasi erregistroa berriro plataforman.',
    },
    taken: {
      reason: 'Plataformaren bezero hau erregistratuta dago dagoeneko.',
      next: 'Bilatu Bellwetherren, Erakundea, Ikaskuntza-plataformak atalean.',
    },
  },
};

export const REGISTRATION_TEXTS: Readonly<Record<string, RegistrationTexts>> & { readonly en: RegistrationTexts } = {
  en,
  es,
  ca,
  eu,
};
