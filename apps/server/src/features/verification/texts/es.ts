import { formatsOf } from '../../../http/languages/formats.ts';
import type { VerificationTexts } from './en.ts';

const { count } = formatsOf('es');

export const es: VerificationTexts = {
  visit: {
    title: (server) => `Verificación para ${server}`,
    heading: 'Verifícate para entrar',
    why: (server) => [server, ' quiere saber que quienes llegan son personas reales.'],
    stepsWithRole:
      'Un minuto: inicias sesión, tu navegador resuelve una pequeña tarea y recibes tu rol.',
    steps: 'Un minuto: inicias sesión, tu navegador resuelve una pequeña tarea y listo.',
    asked: 'Qué se pide',
    askedOfPlatform:
      'Tu nombre, tu ID y tu foto en la plataforma. Nunca tu contraseña ni tus mensajes.',
    askedGuilds: 'También, una sola vez, en qué servidores estás. La lista no se guarda.',
    optional: 'Opcional',
    recovery: 'El dueño puede traerme de vuelta si el servidor se pierde',
    recoveryMeans:
      'Si lo borran o lo roban, el dueño puede añadirte al servidor nuevo. Puedes retirar este permiso cuando quieras.',
    submit: 'Verificarme',
    stored: 'Qué se guarda y durante cuánto tiempo',
    storedOfYou:
      'Tu nombre, tu ID y tu foto, el país y la red desde los que vienes y, durante 90 días, huellas de tu dispositivo y de tu dirección, para detectar segundas cuentas. La dirección en sí no se guarda.',
    storedForRecovery:
      'Solo si el dueño puede traerte de vuelta: un token de acceso de la plataforma, cifrado. Si retiras el permiso, se borra y tu verificación sigue en pie.',
    source: 'Datos de red de DB-IP',
  },
  stricter: {
    title: 'Los controles son más estrictos en este momento,',
    because: 'porque muchísima gente ha llegado a este servidor a la vez.',
    youngAccounts: (days) =>
      `Las cuentas de menos de ${count(days, { one: '# día', other: '# días' })} no se pueden verificar ahora.`,
    later: 'Si no te deja entrar, prueba más tarde hoy mismo.',
  },
  standing: {
    verified: {
      title: 'Tu cuenta ya está verificada aquí.',
      text: 'Repítelo solo si te falta el rol o quieres cambiar tu elección.',
    },
    held: {
      title: 'El dueño aún no ha decidido.',
      text: 'Está revisando a todas las personas que llegaron en el mismo momento.',
    },
    refused: { title: 'Tu último intento fue rechazado.', text: 'Puedes volver a intentarlo.' },
    appealOpen: {
      title: 'El dueño tiene tu mensaje.',
      text: 'Aún no ha decidido.',
    },
    appealAccepted: {
      title: 'El dueño te deja entrar.',
      text: 'Verifícate una vez más y ya estás dentro.',
    },
    appealRejected: {
      title: 'El dueño ha rechazado tu apelación.',
      text: 'Aun así puedes volver a intentarlo.',
    },
    more: 'Más información',
  },
  check: {
    title: (server) => `Comprobando tu navegador para ${server}`,
    heading: 'Un momento',
    hello: (name) => ['Hola, ', name, '.'],
    task: 'Tu navegador está resolviendo una pequeña tarea. Tarda unos segundos y después la página sigue sola.',
    scriptsOff: 'Los scripts están desactivados.',
    allowScript:
      'Esta comprobación necesita uno: permítelo en esta página y recárgala. Viene de este sitio y no se comunica con nadie más.',
    allowScripts: 'Esta comprobación los necesita: permítelos en esta página y recárgala.',
    signedIn: 'Ya has iniciado sesión. La página sigue sola; si no lo hace, pulsa el botón.',
    widget: 'Demuestra que eres una persona y continúa.',
    continue: 'Continuar',
    trouble:
      'Tu navegador no pudo terminar la comprobación. Recarga la página o prueba con otro navegador.',
    tryAgain: 'Volver a intentarlo',
    lookAgain: 'Volver a mirar',
  },
  captcha: {
    title: 'La comprobación no ha funcionado',
    wrong: 'La tarea no se resolvió bien.',
    stale: 'La tarea ya se había usado o tardó demasiado.',
    missing: 'La tarea no se resolvió. Necesita scripts: permítelos en esta página.',
    unreachable: 'Ahora mismo no se puede hacer la comprobación. Espera un poco.',
  },
  noFingerprint: {
    title: 'No se pudo reconocer tu navegador',
    message:
      'Este servidor compara dispositivos para que nadie entre por segunda vez. Permite los scripts en esta página y desactiva las extensiones que los bloquean. Solo se guarda una huella de tu dispositivo, durante 90 días.',
  },
  held: {
    title: 'Espera la decisión del dueño',
    message:
      'Llegaste en el mismo momento que muchísimas otras personas, así que el dueño del servidor las revisa primero a todas. Tus respuestas están bien: abre esta página más tarde.',
  },
  blocked: {
    BLACKLIST: {
      title: 'No puedes entrar',
      message: 'El dueño del servidor no deja entrar a esta cuenta.',
    },
    FIREWALL: {
      title: 'No puedes entrar',
      message:
        'El dueño del servidor ha puesto reglas sobre quién puede entrar, y una de ellas coincide con tu cuenta o tu conexión.',
    },
    VPN: {
      title: 'Tu conexión parece una VPN',
      message:
        'Este servidor no deja entrar a nadie por VPN ni por redes de alojamiento. Desactívala o usa otra conexión, por ejemplo los datos móviles, y vuelve a intentarlo.',
    },
    ALT: {
      title: 'Parece que ya estás aquí',
      message:
        'Otra cuenta se verificó desde tu dispositivo o tu conexión. Entre personas que viven juntas puede ser un error: si es así, escribe al dueño aquí abajo.',
    },
    ACCOUNT_AGE: {
      title: 'Tu cuenta es demasiado nueva',
      message:
        'Este servidor solo deja entrar a cuentas a partir de cierta antigüedad. Vuelve a intentarlo más tarde, o cuéntale al dueño por qué puede confiar en ti.',
    },
    CAPTCHA: {
      title: 'La comprobación no ha funcionado',
      message: 'Tu navegador no resolvió su tarea. Vuelve a intentarlo.',
    },
  },
  appeal: {
    heading: '¿Es un error?',
    label: 'Cuéntale al dueño por qué debería dejarte entrar:',
    hint: (most) =>
      `Hasta ${count(most, { one: '# carácter', other: '# caracteres' })}. Verá también tu nombre y tu ID.`,
    invalid: (most) =>
      `Escribe entre 1 y ${count(most, { one: '# carácter', other: '# caracteres' })}.`,
    submit: 'Enviar al dueño',
    open: {
      title: 'A la espera del dueño',
      sent: 'El dueño tiene tu mensaje.',
      text: 'Aún no ha decidido. Abre esta página más tarde: aquí verás su decisión.',
    },
    accepted: {
      title: 'El dueño te deja entrar',
      text: 'Tu apelación se ha aceptado. Verifícate una vez más y ya estás dentro.',
      verify: 'Verificarme una vez más',
    },
    rejected: {
      title: 'El dueño ha rechazado tu apelación',
      text: 'Ha leído tu mensaje y no deja entrar a esta cuenta.',
      again: 'Escribir otra vez al dueño',
    },
  },
  done: {
    title: (server) => `Verificación completada para ${server}`,
    heading: 'Verificación completada',
    roleComing: 'Tu rol está en camino. Esta página se actualiza sola.',
    allDone: 'Todo listo. Puedes cerrar esta página y volver al servidor.',
    recoveryYes: 'El dueño puede traerte de vuelta si el servidor se pierde, como aceptaste.',
    recoveryNo:
      'No aceptaste que te traigan de vuelta si el servidor se pierde. Para cambiarlo, verifícate otra vez.',
    verifyAgain: 'Verificarme otra vez',
  },
  role: {
    platformSilent:
      'La plataforma no responde en este momento. Tu rol llegará en cuanto lo haga: puedes cerrar esta página.',
    notInServer:
      'Todavía no estás en el servidor. Únete y verifícate una vez más para recibir tu rol.',
    missingPermission:
      'El bot del servidor no puede darte el rol. Avisa al dueño: el bot necesita permiso para gestionar roles y estar por encima de este.',
    roleGone: 'El rol que debías recibir ya no existe. Avisa al dueño del servidor.',
    roleWithheld:
      'El rol que debías recibir da más permisos de los que alguien ha confirmado. Lo recibirás en cuanto el dueño del servidor lo aclare.',
    failed:
      'El bot del servidor no pudo darte el rol. Avisa al dueño del servidor; tu verificación vale igualmente.',
  },
  errors: {
    stateInvalid: {
      title: 'Empieza de nuevo',
      message:
        'Este paso ya se usó, tardó demasiado o empezó en otro navegador. Si tu cuenta ya estaba verificada, lo sigue estando. Si vuelve a pasar, permite las cookies en esta página.',
    },
    declined: {
      title: 'No diste tu permiso',
      message: 'No se ha guardado nada. Puedes empezar de nuevo cuando quieras.',
    },
    signInRefused: {
      title: 'Empieza de nuevo',
      message: 'La plataforma no aceptó este inicio de sesión. No se ha guardado nada.',
    },
    scopeWithheld: {
      title: 'Falta un permiso',
      message:
        'Este servidor pide todo lo que te mostró la plataforma, y una parte se quitó de la dirección. No se ha guardado nada. Empieza de nuevo y deja la dirección como está.',
    },
    scopesChanged: {
      title: 'Empieza de nuevo',
      message:
        'El servidor pide ahora una cosa más que cuando empezaste. No se ha guardado nada; es solo un momento.',
    },
    platformUnreachable: {
      title: 'La plataforma no responde',
      message: 'No se ha guardado nada. Espera un momento y empieza de nuevo.',
    },
    botUnusable: {
      title: 'La verificación está cerrada por ahora',
      message:
        'El bot del servidor no se puede usar en este momento. El dueño del servidor puede arreglarlo: avísale.',
    },
    startAgain: 'Empezar de nuevo',
    openLink:
      'Abre otra vez el enlace de verificación del servidor para empezar desde el principio.',
  },
  tooManyAttempts: {
    title: 'Demasiados intentos',
    message:
      'Desde tu dirección se ha intentado muchísimas veces. No se ha guardado nada. Espera un minuto y abre otra vez el enlace de verificación del servidor.',
  },
  noServer: {
    title: 'Ese servidor no existe aquí',
    message:
      'Puede que el enlace esté mal escrito o sea antiguo. Pide uno nuevo al dueño del servidor.',
  },
};
