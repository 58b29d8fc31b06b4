import type { PageTexts } from './page-texts.types';

export const eu: PageTexts = {
  refused: 'Ezin izan da jarduera ireki',
  code: 'Laguntzarako kodea',
  reasons: {
    again: {
      reason: 'Esteka hau lehenago erabili da, edo iraungi egin da.',
      next: 'Itzuli ikastarora eta ireki jarduera berriro.',
    },
    setup: {
      reason: 'Ikastaroaren plataforma eta zerbitzu hau ez datoz bat jardueraren ezarpenetan.',
      next: 'Esan irakasleari edo zure erakundeko laguntzari, eta eman beheko kodea.',
    },
    unavailable: {
      reason: 'Ikastaroaren plataformak ez du erantzuten une honetan.',
      next: 'Saiatu berriro minutu batzuk barru. Berdin jarraitzen badu, eman beheko kodea zure erakundeko laguntzari.',
    },
    role: {
      reason: 'Ikastaroaren plataformak ez du esan ikasle edo irakasle zaren ikastaro honetan.',
      next: 'Eskatu ikastaroko irakasleari zure rola begiratzeko, eta ireki jarduera berriro.',
    },
    role_unknown: {
      reason:
        'Ikastaroaren plataformak zerbitzu honek ezagutzen ez duen rol bat ematen dizu, hala nola mentorea edo gonbidatua.',
      next: 'Eskatu ikastaroko irakasleari ikasle edo irakasle gisa matrikulatzeko, eta ireki berriro jarduera.',
    },
    not_ready: {
      reason: 'Oraindik ez dago erantzungo duen laguntzailerik.',
      next: 'Esan irakasleari jarduera ez dagoela prest, eta saiatu berriro geroago.',
    },
    organization: {
      reason: 'Zure erakundeak ezin du zerbitzu hau erabili une honetan.',
      next: 'Galdetu zure erakundeko laguntzari.',
    },
    disabled: {
      reason: 'Zure kontua desgaituta dago.',
      next: 'Eskatu zure erakundeko laguntzari berriro gaitzeko.',
    },
    administrator: {
      reason: 'Kontu hau administratzaile batena da. Ezin da ikastaro batetik ireki.',
      next: 'Hasi saioa zuzenean zerbitzu honetan.',
    },
    sign_on_only: {
      reason: 'Zure erakundean erakundeko kontuarekin saioa hasi ondoren bakarrik lan egiten da hemen.',
      next: 'Hasi saioa zuzenean zerbitzu honetan, zure erakundeko kontuarekin.',
    },
    lti11_off: {
      reason:
        'Ikastaro-plataformak modu zaharrean (LTI 1.1) irekitzen du jarduera hau, eta modu hori desaktibatuta dago zerbitzu honetan.',
      next: 'Esan irakasleari jarduera ezin dela ireki, eta eman beheko kodea.',
    },
    lti11_ended: {
      reason:
        'Ikastaro-plataformak modu zaharrean (LTI 1.1) irekitzen du jarduera hau. Zerbitzu honek modu hori onartzen zuen epea amaitu da.',
      next: 'Esan irakasleari jarduera ezin dela ireki, eta eman beheko kodea.',
    },
  },
  instructor: {
    none: {
      reason: 'Ez da laguntzailerik aukeratu jarduera honetarako.',
      next: 'Editatu jarduera ikastaroan: hautatu edukia, edo gehitu assistant parametro pertsonalizatua argitaratutako laguntzaile baten zenbakiarekin.',
    },
    missing: {
      reason: 'Jarduera honetako laguntzailea ezabatu egin da, edo beste erakunde batena da.',
      next: 'Editatu jarduera ikastaroan eta aukeratu beste laguntzaile bat.',
    },
    unpublished: {
      reason: 'Jarduera honetako laguntzailea ez dago argitaratuta.',
      next: 'Argitaratu laguntzailea eta ireki jarduera berriro. Ikasleek jarduera prest ez dagoela ikusten dute.',
    },
    lti11_off: {
      reason: 'Ikastaro-plataformak LTI 1.1 bidez irekitzen du jarduera hau, eta desaktibatuta dago zure erakundean.',
      next: 'Eskatu zure erakundeko administratzaile bati ikastaro-plataforma LTI 1.3 bidez konekta dezala, edo LTI 1.1 data batera arte onar dezala, hemen: Administrazioa › Ikaskuntza-plataformak › LTI 1.1.',
    },
    lti11_ended: {
      reason:
        'Ikastaro-plataformak LTI 1.1 bidez irekitzen du jarduera hau. Zure erakundeak onartzen zuen epea amaitu da.',
      next: 'Eskatu zure erakundeko administratzaile bati ikastaro-plataforma LTI 1.3 bidez konekta dezala, hemen: Administrazioa › Ikaskuntza-plataformak. Jarduerak eta elkarrizketak gorde egiten dira.',
    },
  },
  opening: 'Jarduera irekitzen …',
  newWindow: {
    reason: 'Zure nabigatzaileak ez du zerbitzu honen cookierik gordetzen ikastaroaren orriaren barruan.',
    next: 'Jarduera leiho berri batean irekiko da.',
    button: 'Ireki leiho berri batean',
  },
  plainHttp:
    'Zerbitzu honek zifratu gabeko http helbidea du, eta horrela nabigatzaileek ez dute cookierik gordetzen beste gune baten orriaren barruan.',
  ready: {
    reason: 'Jarduera prest dago.',
    next: 'Leiho berri batean irekiko da, nabigatzaileak ez duelako cookierik gordetzen ikastaroaren orriaren barruan.',
    button: 'Ireki leiho berri batean',
  },
};
