import type { PageTexts } from './en.ts';

export const es: PageTexts = {
  language: 'Idioma',
  poweredBy: (holdfast) => ['Con tecnología de ', holdfast],
  yourData: 'Tus datos',
  notFound: {
    title: 'Aquí no hay ninguna página',
    message: 'Puede que la dirección esté mal escrita, o que la página se haya movido o borrado.',
  },
  tooMany: {
    title: 'Demasiadas solicitudes',
    message: 'Espera un minuto y vuelve a intentarlo.',
  },
  failed: {
    title: 'Algo ha fallado por nuestra parte',
    message: 'Vuelve a intentarlo en un momento. El fallo ha quedado registrado.',
  },
  unavailable: {
    title: 'No disponible en este momento',
    message: 'Vuelve a intentarlo en un momento.',
  },
  refused: {
    title: 'No ha funcionado',
    message: 'La solicitud se ha rechazado. Vuelve atrás, recarga la página e inténtalo otra vez.',
  },
  requestId: 'Si vuelve a pasar, da al operador este identificador de la solicitud:',
  startPage: 'Página de inicio',
  guides: 'Guías',
  newLink: '¿Vienes de un botón de verificación? Pide un enlace nuevo al dueño del servidor.',
};
