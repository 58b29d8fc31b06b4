import type { PageTexts } from './page-texts.types';

export const es: PageTexts = {
  refused: 'No se ha podido abrir la actividad',
  code: 'Código para el soporte',
  reasons: {
    again: {
      reason: 'Este enlace ya se ha usado o ha caducado.',
      next: 'Vuelve a tu curso y abre la actividad de nuevo.',
    },
    setup: {
      reason: 'La plataforma del curso y este servicio no coinciden en la configuración de la actividad.',
      next: 'Avisa a tu docente o al soporte de tu institución y dales el código que aparece abajo.',
    },
    unavailable: {
      reason: 'La plataforma del curso no responde en este momento.',
      next: 'Inténtalo de nuevo en unos minutos. Si sigue igual, da el código de abajo al soporte de tu institución.',
    },
    role: {
      reason: 'La plataforma del curso no ha dicho si eres estudiante o docente de este curso.',
      next: 'Pide al docente del curso que revise tu rol y abre la actividad de nuevo.',
    },
    role_unknown: {
      reason: 'La plataforma del curso te da un rol que este servicio no conoce, como mentor o invitado.',
      next: 'Pide al docente del curso que te matricule como estudiante o docente y abre la actividad de nuevo.',
    },
    not_ready: {
      reason: 'Aquí todavía no responde ningún asistente.',
      next: 'Avisa a tu docente de que la actividad no está lista e inténtalo más tarde.',
    },
    organization: {
      reason: 'Tu institución no puede usar este servicio en este momento.',
      next: 'Pregunta al soporte de tu institución.',
    },
    disabled: {
      reason: 'Tu cuenta está desactivada.',
      next: 'Pide al soporte de tu institución que la active.',
    },
    administrator: {
      reason: 'Esta cuenta es de administración. No se puede abrir desde un curso.',
      next: 'Inicia sesión directamente en este servicio.',
    },
    sign_on_only: {
      reason: 'En tu organización solo se trabaja aquí tras iniciar sesión con la cuenta de la institución.',
      next: 'Inicia sesión directamente en este servicio con la cuenta de tu institución.',
    },
    lti11_off: {
      reason:
        'La plataforma del curso abre esta actividad de una forma antigua (LTI 1.1), que está desactivada en este servicio.',
      next: 'Avisa a tu docente de que la actividad no se puede abrir y dale el código que aparece abajo.',
    },
    lti11_ended: {
      reason:
        'La plataforma del curso abre esta actividad de una forma antigua (LTI 1.1). El plazo en que este servicio la aceptaba ha terminado.',
      next: 'Avisa a tu docente de que la actividad no se puede abrir y dale el código que aparece abajo.',
    },
  },
  instructor: {
    none: {
      reason: 'No se ha elegido ningún asistente para esta actividad.',
      next: 'Edita la actividad en tu curso: selecciona su contenido o añade el parámetro personalizado assistant con el número de un asistente publicado.',
    },
    missing: {
      reason: 'El asistente de esta actividad se ha eliminado o pertenece a otra organización.',
      next: 'Edita la actividad en tu curso y elige otro asistente.',
    },
    unpublished: {
      reason: 'El asistente de esta actividad no está publicado.',
      next: 'Publica el asistente y abre la actividad de nuevo. Los estudiantes ven que la actividad no está lista.',
    },
    lti11_off: {
      reason: 'La plataforma del curso abre esta actividad con LTI 1.1, que está desactivado en tu organización.',
      next: 'Pide a quien administra tu organización que conecte la plataforma del curso con LTI 1.3, o que acepte LTI 1.1 hasta una fecha, en Administración › Plataformas de aprendizaje › LTI 1.1.',
    },
    lti11_ended: {
      reason:
        'La plataforma del curso abre esta actividad con LTI 1.1. Tu organización lo aceptaba hasta una fecha que ya ha pasado.',
      next: 'Pide a quien administra tu organización que conecte la plataforma del curso con LTI 1.3 en Administración › Plataformas de aprendizaje. Las actividades y las conversaciones se conservan.',
    },
  },
  opening: 'Abriendo la actividad …',
  newWindow: {
    reason: 'Tu navegador no guarda cookies de este servicio dentro de la página del curso.',
    next: 'La actividad se abre en una ventana nueva.',
    button: 'Abrir en una ventana nueva',
  },
  plainHttp:
    'Este servicio tiene una dirección http sin cifrar, y con ella los navegadores no guardan cookies dentro de la página de otro sitio.',
  ready: {
    reason: 'La actividad está lista.',
    next: 'Se abre en una ventana nueva porque tu navegador no guarda cookies dentro de la página del curso.',
    button: 'Abrir en una ventana nueva',
  },
};
