import { formatsOf } from '../../../http/languages/formats.ts';
import type { VerificationTexts } from './en.ts';

const { count } = formatsOf('de');

export const de: VerificationTexts = {
  visit: {
    title: (server) => `Verifizierung für ${server}`,
    heading: 'Verifizieren und reinkommen',
    why: (server) => [server, ' möchte wissen, dass neue Mitglieder echte Menschen sind.'],
    stepsWithRole:
      'Eine Minute: Du meldest dich an, dein Browser löst eine kleine Aufgabe, du bekommst deine Rolle.',
    steps:
      'Eine Minute: Du meldest dich an, dein Browser löst eine kleine Aufgabe, und du bist fertig.',
    asked: 'Was gefragt wird',
    askedOfPlatform:
      'Dein Name, deine ID und dein Bild auf der Plattform. Nie dein Passwort oder deine Nachrichten.',
    askedGuilds: 'Einmalig auch, auf welchen Servern du bist. Die Liste wird nicht gespeichert.',
    optional: 'Freiwillig',
    recovery: 'Der Owner darf mich zurückholen, wenn der Server verloren geht',
    recoveryMeans:
      'Wird er gelöscht oder gekapert, kann der Owner dich zum neuen Server hinzufügen. Du kannst das jederzeit widerrufen.',
    submit: 'Verifizieren',
    stored: 'Was gespeichert wird, und wie lange',
    storedOfYou:
      'Dein Name, deine ID und dein Bild, dein Land und dein Netz, und 90 Tage lang Hashes von Gerät und Adresse, um Zweitkonten zu erkennen. Die Adresse selbst wird nicht gespeichert.',
    storedForRecovery:
      'Nur wenn der Owner dich zurückholen darf: ein Zugriffstoken der Plattform, verschlüsselt. Widerrufst du, wird es gelöscht, und du bleibst verifiziert.',
    source: 'Netzdaten von DB-IP',
  },
  stricter: {
    title: 'Die Prüfung ist gerade strenger,',
    because: 'weil sehr viele Leute gleichzeitig auf diesen Server gekommen sind.',
    youngAccounts: (days) =>
      `Konten, die jünger als ${count(days, { one: '# Tag', other: '# Tage' })} sind, können jetzt nicht verifiziert werden.`,
    later: 'Wenn du abgewiesen wirst, versuch es später am Tag noch einmal.',
  },
  standing: {
    verified: {
      title: 'Du bist hier verifiziert.',
      text: 'Noch einmal brauchst du das nur, wenn deine Rolle fehlt oder du deine Wahl ändern willst.',
    },
    held: {
      title: 'Du wartest auf den Owner.',
      text: 'Er sieht sich alle an, die im selben Moment gekommen sind.',
    },
    refused: {
      title: 'Dein letzter Versuch wurde abgelehnt.',
      text: 'Du kannst es noch einmal versuchen.',
    },
    appealOpen: {
      title: 'Der Owner hat deine Nachricht.',
      text: 'Er hat noch nicht entschieden.',
    },
    appealAccepted: {
      title: 'Der Owner lässt dich rein.',
      text: 'Verifiziere dich noch einmal, dann bist du drin.',
    },
    appealRejected: {
      title: 'Der Owner hat deinen Einspruch abgelehnt.',
      text: 'Du kannst es trotzdem noch einmal versuchen.',
    },
    more: 'Mehr dazu',
  },
  check: {
    title: (server) => `Dein Browser wird geprüft für ${server}`,
    heading: 'Einen Moment',
    hello: (name) => ['Hallo, ', name, '.'],
    task: 'Dein Browser löst eine kleine Aufgabe. Das dauert ein paar Sekunden, dann geht es von selbst weiter.',
    scriptsOff: 'Skripte sind ausgeschaltet.',
    allowScript:
      'Diese Prüfung braucht eines: Bitte erlaube es für diese Seite und lade sie neu. Es kommt von dieser Seite und spricht mit niemand anderem.',
    allowScripts:
      'Diese Prüfung braucht sie: Bitte erlaube sie für diese Seite und lade die Seite neu.',
    signedIn: 'Du bist angemeldet. Es geht von selbst weiter; wenn nicht, drück auf den Knopf.',
    widget: 'Bitte zeig, dass du ein Mensch bist, und mach dann weiter.',
    continue: 'Weiter',
    trouble:
      'Dein Browser konnte die Prüfung nicht beenden. Lade die Seite neu oder nimm einen anderen Browser.',
    tryAgain: 'Noch einmal versuchen',
    lookAgain: 'Noch einmal nachsehen',
  },
  captcha: {
    title: 'Die Prüfung hat nicht geklappt',
    wrong: 'Die Aufgabe wurde nicht richtig gelöst.',
    stale: 'Die Aufgabe wurde schon verwendet oder hat zu lange gedauert.',
    missing:
      'Die Aufgabe wurde nicht gelöst. Sie braucht Skripte: Bitte erlaube sie für diese Seite.',
    unreachable: 'Die Prüfung ist gerade nicht möglich. Bitte warte ein wenig.',
  },
  noFingerprint: {
    title: 'Dein Browser ließ sich nicht erkennen',
    message:
      'Dieser Server vergleicht Geräte, damit niemand ein zweites Mal reinkommt. Erlaube Skripte für diese Seite und schalte Erweiterungen aus, die sie blockieren. Gespeichert wird nur ein Hash deines Geräts, für 90 Tage.',
  },
  held: {
    title: 'Bitte warte auf den Owner',
    message:
      'Du bist im selben Moment gekommen wie sehr viele andere, deshalb sieht sich der Owner des Servers erst alle an. Mit deinen Angaben ist alles in Ordnung: Öffne diese Seite später noch einmal.',
  },
  blocked: {
    BLACKLIST: {
      title: 'Du kommst hier nicht rein',
      message: 'Der Owner des Servers lässt dieses Konto nicht rein.',
    },
    FIREWALL: {
      title: 'Du kommst hier nicht rein',
      message:
        'Der Owner des Servers hat Regeln festgelegt, wer reinkommt, und eine davon trifft auf dein Konto oder deine Verbindung zu.',
    },
    VPN: {
      title: 'Deine Verbindung sieht nach einem VPN aus',
      message:
        'Über VPNs und Hosting-Netze lässt dieser Server niemanden rein. Schalte es aus oder nimm eine andere Verbindung, etwa mobile Daten, und versuch es noch einmal.',
    },
    ALT: {
      title: 'Du scheinst schon hier zu sein',
      message:
        'Von deinem Gerät oder deiner Verbindung aus wurde schon ein anderes Konto verifiziert. Bei Leuten, die zusammen wohnen, kann das ein Irrtum sein: Dann schreib unten dem Owner.',
    },
    ACCOUNT_AGE: {
      title: 'Dein Konto ist zu neu',
      message:
        'Dieser Server lässt Konten erst ab einem bestimmten Alter rein. Versuch es später noch einmal, oder schreib dem Owner, warum er dir trauen kann.',
    },
    CAPTCHA: {
      title: 'Die Prüfung hat nicht geklappt',
      message: 'Dein Browser hat seine Aufgabe nicht gelöst. Bitte versuch es noch einmal.',
    },
  },
  appeal: {
    heading: 'Ein Irrtum?',
    label: 'Schreib dem Owner, warum er dich reinlassen sollte:',
    hint: (most) =>
      `Bis zu ${count(most, { one: '# Zeichen', other: '# Zeichen' })}. Dein Name und deine ID stehen dabei.`,
    invalid: (most) =>
      `Bitte schreib zwischen 1 und ${count(most, { one: '# Zeichen', other: '# Zeichen' })}.`,
    submit: 'An den Owner senden',
    open: {
      title: 'Warten auf den Owner',
      sent: 'Der Owner hat deine Nachricht.',
      text: 'Er hat noch nicht entschieden. Öffne diese Seite später noch einmal: Dann steht hier die Entscheidung.',
    },
    accepted: {
      title: 'Der Owner lässt dich rein',
      text: 'Dein Einspruch wurde angenommen. Verifiziere dich noch einmal, dann bist du drin.',
      verify: 'Noch einmal verifizieren',
    },
    rejected: {
      title: 'Der Owner hat deinen Einspruch abgelehnt',
      text: 'Er hat deine Nachricht gelesen und lässt dieses Konto nicht rein.',
      again: 'Dem Owner noch einmal schreiben',
    },
  },
  done: {
    title: (server) => `Verifiziert für ${server}`,
    heading: 'Du bist verifiziert',
    roleComing: 'Deine Rolle ist unterwegs. Diese Seite sieht von selbst wieder nach.',
    allDone: 'Alles erledigt. Du kannst diese Seite schließen und zum Server zurückgehen.',
    recoveryYes:
      'Der Owner darf dich zurückholen, wenn der Server verloren geht, wie du zugestimmt hast.',
    recoveryNo:
      'Du hast nicht zugestimmt, zurückgeholt zu werden, wenn der Server verloren geht. Um das zu ändern, verifiziere dich noch einmal.',
    verifyAgain: 'Noch einmal verifizieren',
  },
  role: {
    platformSilent:
      'Die Plattform antwortet gerade nicht. Deine Rolle kommt, sobald sie es tut: Du kannst diese Seite schließen.',
    notInServer:
      'Du bist noch nicht auf dem Server. Tritt ihm bei und verifiziere dich dann noch einmal, um deine Rolle zu bekommen.',
    missingPermission:
      'Der Bot des Servers darf dir die Rolle nicht geben. Bitte sag es dem Owner: Der Bot braucht das Recht, Rollen zu verwalten, und einen Platz über dieser Rolle.',
    roleGone:
      'Die Rolle, die du bekommen solltest, gibt es nicht mehr. Bitte sag es dem Owner des Servers.',
    roleWithheld:
      'Die Rolle, die du bekommen sollst, gibt mehr Rechte, als jemand bestätigt hat. Du bekommst sie, sobald der Besitzer des Servers das geklärt hat.',
    failed:
      'Der Bot des Servers konnte dir die Rolle nicht geben. Bitte sag es dem Owner des Servers; verifiziert bist du trotzdem.',
  },
  errors: {
    stateInvalid: {
      title: 'Bitte fang noch einmal an',
      message:
        'Dieser Schritt wurde schon verwendet, hat zu lange gedauert oder begann in einem anderen Browser. Wenn du schon verifiziert warst, bist du es weiterhin. Passiert es wieder, erlaube Cookies für diese Seite.',
    },
    declined: {
      title: 'Du hast nicht zugestimmt',
      message: 'Es wurde nichts gespeichert. Du kannst jederzeit neu anfangen.',
    },
    signInRefused: {
      title: 'Bitte fang noch einmal an',
      message: 'Die Plattform hat diese Anmeldung nicht angenommen. Es wurde nichts gespeichert.',
    },
    scopeWithheld: {
      title: 'Eine Berechtigung fehlt',
      message:
        'Dieser Server fragt nach allem, was die Plattform dir gezeigt hat, und ein Teil davon wurde aus der Adresse entfernt. Es wurde nichts gespeichert. Fang noch einmal an und lass die Adresse, wie sie ist.',
    },
    scopesChanged: {
      title: 'Bitte fang noch einmal an',
      message:
        'Der Server fragt jetzt nach einer Sache mehr als zu Beginn. Es wurde nichts gespeichert; es dauert nur einen Moment.',
    },
    platformUnreachable: {
      title: 'Die Plattform antwortet nicht',
      message: 'Es wurde nichts gespeichert. Warte einen Moment und fang dann noch einmal an.',
    },
    botUnusable: {
      title: 'Die Verifizierung ist gerade geschlossen',
      message:
        'Der Bot des Servers kann im Moment nicht benutzt werden. Der Owner des Servers kann das beheben: Bitte sag es ihm.',
    },
    startAgain: 'Noch einmal anfangen',
    openLink: 'Öffne den Verifizierungslink des Servers noch einmal, um von vorn anzufangen.',
  },
  tooManyAttempts: {
    title: 'Zu viele Versuche',
    message:
      'Von deiner Adresse kamen sehr viele Versuche. Es wurde nichts gespeichert. Warte eine Minute und öffne dann den Verifizierungslink des Servers noch einmal.',
  },
  noServer: {
    title: 'Diesen Server gibt es hier nicht',
    message:
      'Der Link ist vielleicht vertippt oder alt. Bitte den Owner des Servers um einen neuen.',
  },
};
