import { formatsOf } from '../../../http/languages/formats.ts';
import type { MeTexts } from './en.ts';

const { count } = formatsOf('es');

export const es: MeTexts = {
  title: 'Tus datos',
  signIn: {
    what: 'Inicia sesión con la plataforma y verás todos los servidores que guardan algo sobre ti. Puedes retirar tu permiso, exportarlo todo o hacer que se borre.',
    only: 'Solo preguntamos a la plataforma quién eres, y no guardamos ningún token de acceso.',
    kept: {
      label: 'Se guarda',
      text: 'Los servidores donde te verificas guardan tu verificación, tu nombre, tu ID y tu foto, y el país y la red desde los que vienes. Durante 90 días guardan también huellas de tu dispositivo y de tu dirección, para detectar segundas cuentas.',
    },
    agreed: {
      label: 'Solo si lo aceptas',
      text: 'Si el dueño puede traerte de vuelta, se guarda un token de acceso de la plataforma, cifrado. Si retiras el permiso, se borra y tu verificación sigue en pie.',
    },
    never: {
      label: 'Nunca',
      text: 'Ningún servidor guarda tu contraseña, tu correo electrónico ni tu dirección IP en sí.',
    },
    button: 'Iniciar sesión con la plataforma',
  },
  signedInAs: (name, username, platformId) => [
    ...['Sesión iniciada como ', name, ' (', username, '), ID de la plataforma ', platformId, '.'],
  ],
  sessions: (sessions) => `Tienes ${count(sessions, { one: '# sesión', other: '# sesiones' })}.`,
  nothing: 'Ningún servidor guarda nada sobre ti.',
  ownersLists:
    'Las listas con las que un dueño deja entrar o mantiene fuera a la gente, incluidas las expulsiones, son suyas y no se muestran aquí.',
  exportJson: 'Exportar como JSON',
  signOut: 'Cerrar sesión',
  yes: 'sí',
  no: 'no',
  kept: 'guardado',
  notKept: 'no se guarda',
  membership: {
    verified: 'Verificación',
    left: 'Salida detectada',
    name: 'Con el nombre',
    recovery: '¿Puede el dueño traerte de vuelta?',
    agreed: (at) => `sí, aceptado el ${at}`,
    roles: 'Roles y apodo para eso',
    rolesKept: 'guardados como se vieron por última vez',
    rolesInBackups: 'solo en copias de seguridad',
    token: 'Token para eso',
    tokenKept: 'guardado, cifrado',
    tokenNone: 'ninguno',
    place: 'País y región',
    network: 'Red',
    vpn: 'Tomada por una VPN',
    alt: 'Tomada por una segunda cuenta',
    device: 'Huella de tu dispositivo',
    created: 'Cuenta creada en la plataforma',
  },
  hashes: {
    label: 'Dispositivo y dirección',
    none: 'no se guardan huellas',
    device: (until) => `huellas de tu dispositivo guardadas hasta el ${until}`,
    address: (until) => `huellas de tu dirección guardadas hasta el ${until}`,
    both: (until) => `huellas de tu dirección y tu dispositivo guardadas hasta el ${until}`,
  },
  attempt: {
    label: 'Intento de verificación',
    verified: 'completado',
    blocked: 'rechazado',
    unfinished: 'sin terminar',
    forgotten: (outcome, at) => `${outcome}, se olvida el ${at}`,
  },
  join: {
    label: (at) => `Llegada el ${at}`,
    held: 'durante una oleada: el dueño tiene que decidir sobre ti',
    noticed: 'guardada un tiempo para detectar oleadas',
  },
  incident: {
    label: (at) => `Incidente del ${at}`,
    attack: 'lo que hiciste cuenta como ataque',
    stopped: 'lo que hiciste cuenta como ataque, y puede que te quitaran roles',
  },
  acts: {
    label: 'Hecho en el servidor',
    entries: (entries) =>
      count(entries, {
        one: '# entrada de su registro de auditoría',
        other: '# entradas de su registro de auditoría',
      }),
  },
  appeal: {
    label: (at) => `Apelación del ${at}`,
    OPEN: 'abierta',
    ACCEPTED: 'aceptada',
    REJECTED: 'rechazada',
  },
  recall: {
    invited: (server) => [
      ...['El dueño te invita a volver a ', server],
      ': tu permiso para traerte de vuelta ya no es válido, así que te unes tú.',
    ],
    open: 'Abrir la invitación',
    until: (at) => `Solo pueden usarla las personas invitadas, hasta el ${at}.`,
  },
  withdraw: {
    button: 'No traerme de vuelta',
    label: (server) => `No traerme de vuelta a ${server}`,
    stays: 'Tu verificación sigue en pie.',
  },
  backups: {
    heading: 'En copias de seguridad',
    intro: 'Los dueños hacen copias de sus servidores. Estas copias contienen algo sobre ti:',
    ROLES_AND_NICKNAME: 'tus roles y tu apodo',
    MESSAGES: 'mensajes que escribiste o que te mencionan',
    CHANNELS: 'permisos o menciones en canales',
    TEXTS: 'menciones en descripciones',
    within: (kind, backups) =>
      `${kind}, en ${count(backups, { one: 'una copia', other: '# copias' })}`,
    saved: (at) => `guardado el ${at}`,
    savedBetween: (from, to) => `guardado entre el ${from} y el ${to}`,
  },
  erase: {
    heading: 'Borrarlo todo',
    what: 'Todos los servidores te olvidan al momento: tu verificación, lo que aceptaste, tus tokens, tus apelaciones y tus sesiones. Las copias te ocultan al momento, de modo que ninguna restauración recupera tus roles, tu apodo ni tus mensajes, y en 24 horas desapareces también de las copias guardadas.',
    stays:
      'Lo que queda: los roles que tienes en la plataforma (para salir de un servidor, sal allí) y solo tu ID en las listas que llevan los dueños, como expulsiones, canales denegados y reglas, y en su registro de auditoría. Si te verificas otra vez, las copias posteriores pueden volver a incluirte.',
    word: 'BORRAR',
    label: (word) => `Escribe ${word} para confirmar`,
    unconfirmed: (word) => `No se ha borrado nada: la palabra no era ${word}.`,
    submit: 'Borrar todo lo que hay sobre mí',
  },
  erased: {
    title: 'Todo está borrado',
    heading: 'Todo lo que había sobre ti está borrado',
    text: 'Ningún servidor que usa Holdfast muestra ya nada sobre ti, y tus tokens se están devolviendo a la plataforma. Ninguna copia te trae de vuelta; en 24 horas desapareces también de las copias guardadas. La sesión está cerrada.',
    owners:
      'Los dueños pueden tener tu ID en sus propias listas, incluidas las expulsiones, y su registro dice que lo pediste.',
  },
};
