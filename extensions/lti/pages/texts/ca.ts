import type { PageTexts } from './page-texts.types';

export const ca: PageTexts = {
  refused: "No s'ha pogut obrir l'activitat",
  code: 'Codi per al suport',
  reasons: {
    again: {
      reason: "Aquest enllaç ja s'ha fet servir o ha caducat.",
      next: "Torna al teu curs i obre l'activitat de nou.",
    },
    setup: {
      reason: "La plataforma del curs i aquest servei no coincideixen en la configuració de l'activitat.",
      next: 'Avisa el teu docent o el suport de la teva institució i dona-los el codi de sota.',
    },
    unavailable: {
      reason: 'La plataforma del curs no respon en aquest moment.',
      next: "Torna-ho a provar d'aquí a uns minuts. Si continua igual, dona el codi de sota al suport de la teva institució.",
    },
    role: {
      reason: "La plataforma del curs no ha dit si ets estudiant o docent d'aquest curs.",
      next: "Demana al docent del curs que revisi el teu rol i obre l'activitat de nou.",
    },
    role_unknown: {
      reason: 'La plataforma del curs et dona un rol que aquest servei no coneix, com ara mentor o convidat.',
      next: "Demana al docent del curs que et matriculi com a estudiant o docent i torna a obrir l'activitat.",
    },
    not_ready: {
      reason: 'Aquí encara no respon cap assistent.',
      next: "Avisa el teu docent que l'activitat no està a punt i torna-ho a provar més tard.",
    },
    organization: {
      reason: 'La teva institució no pot fer servir aquest servei en aquest moment.',
      next: 'Pregunta al suport de la teva institució.',
    },
    disabled: {
      reason: 'El teu compte està desactivat.',
      next: "Demana al suport de la teva institució que l'activi.",
    },
    administrator: {
      reason: "Aquest compte és d'administració. No es pot obrir des d'un curs.",
      next: 'Inicia la sessió directament en aquest servei.',
    },
    sign_on_only: {
      reason:
        "A la teva organització només es treballa aquí després d'iniciar la sessió amb el compte de la institució.",
      next: 'Inicia la sessió directament en aquest servei amb el compte de la teva institució.',
    },
    lti11_off: {
      reason:
        "La plataforma de cursos obre aquesta activitat d'una manera antiga (LTI 1.1), que està desactivada en aquest servei.",
      next: "Avisa el teu docent que l'activitat no es pot obrir i dona-li el codi següent.",
    },
    lti11_ended: {
      reason:
        "La plataforma de cursos obre aquesta activitat d'una manera antiga (LTI 1.1). El termini en què aquest servei l'acceptava s'ha acabat.",
      next: "Avisa el teu docent que l'activitat no es pot obrir i dona-li el codi següent.",
    },
  },
  instructor: {
    none: {
      reason: "No s'ha triat cap assistent per a aquesta activitat.",
      next: "Edita l'activitat al teu curs: selecciona'n el contingut o afegeix el paràmetre personalitzat assistant amb el número d'un assistent publicat.",
    },
    missing: {
      reason: "L'assistent d'aquesta activitat s'ha eliminat o pertany a una altra organització.",
      next: "Edita l'activitat al teu curs i tria un altre assistent.",
    },
    unpublished: {
      reason: "L'assistent d'aquesta activitat no està publicat.",
      next: "Publica l'assistent i obre l'activitat de nou. Els estudiants veuen que l'activitat no està a punt.",
    },
    lti11_off: {
      reason: 'La plataforma de cursos obre aquesta activitat amb LTI 1.1, que està desactivat a la teva organització.',
      next: "Demana a qui administra la teva organització que connecti la plataforma de cursos amb LTI 1.3, o que accepti LTI 1.1 fins a una data, a Administració › Plataformes d'aprenentatge › LTI 1.1.",
    },
    lti11_ended: {
      reason:
        "La plataforma de cursos obre aquesta activitat amb LTI 1.1. La teva organització l'acceptava fins a una data que ja ha passat.",
      next: "Demana a qui administra la teva organització que connecti la plataforma de cursos amb LTI 1.3 a Administració › Plataformes d'aprenentatge. Les activitats i les converses es conserven.",
    },
  },
  opening: "S'està obrint l'activitat …",
  newWindow: {
    reason: "El teu navegador no desa galetes d'aquest servei dins de la pàgina del curs.",
    next: "L'activitat s'obre en una finestra nova.",
    button: 'Obre en una finestra nova',
  },
  plainHttp:
    "Aquest servei té una adreça http sense xifrar, i amb ella els navegadors no desen galetes dins de la pàgina d'un altre lloc.",
  ready: {
    reason: "L'activitat està a punt.",
    next: "S'obre en una finestra nova perquè el teu navegador no desa galetes dins de la pàgina del curs.",
    button: 'Obre en una finestra nova',
  },
};
