import { formatsOf } from '../../../http/languages/formats.ts';
import type { MeTexts } from './en.ts';

const { count } = formatsOf('de');

export const de: MeTexts = {
  title: 'Deine Daten',
  signIn: {
    what: 'Melde dich mit der Plattform an, dann siehst du jeden Server, der etwas über dich speichert. Du kannst deine Zustimmung widerrufen, alles exportieren oder alles löschen lassen.',
    only: 'Wir fragen die Plattform nur, wer du bist, und behalten kein Zugriffstoken.',
    kept: {
      label: 'Gespeichert',
      text: 'Server, auf denen du dich verifizierst, speichern deine Verifizierung, deinen Namen, deine ID und dein Bild, dein Land und dein Netz. 90 Tage lang speichern sie außerdem Hashes von Gerät und Adresse, um Zweitkonten zu erkennen.',
    },
    agreed: {
      label: 'Nur mit deiner Zustimmung',
      text: 'Wenn der Owner dich zurückholen darf, wird ein Zugriffstoken der Plattform gespeichert, verschlüsselt. Widerrufst du, wird es gelöscht, und du bleibst verifiziert.',
    },
    never: {
      label: 'Nie',
      text: 'Kein Server speichert dein Passwort, deine E-Mail-Adresse oder deine IP-Adresse selbst.',
    },
    button: 'Mit der Plattform anmelden',
  },
  signedInAs: (name, username, platformId) => [
    ...['Du bist angemeldet als ', name, ' (', username, '), Plattform-ID ', platformId, '.'],
  ],
  sessions: (sessions) => `Du hast ${count(sessions, { one: '# Sitzung', other: '# Sitzungen' })}.`,
  nothing: 'Kein Server speichert etwas über dich.',
  ownersLists:
    'Die Listen, mit denen ein Owner Leute reinlässt oder draußen hält, auch Bans, gehören dem Owner und stehen nicht hier.',
  exportJson: 'Als JSON exportieren',
  signOut: 'Abmelden',
  yes: 'ja',
  no: 'nein',
  kept: 'gespeichert',
  notKept: 'nicht gespeichert',
  membership: {
    verified: 'Verifiziert',
    left: 'Weggang bemerkt',
    name: 'Unter dem Namen',
    recovery: 'Darf der Owner dich zurückholen?',
    agreed: (at) => `ja, zugestimmt am ${at}`,
    roles: 'Rollen und Nickname dafür',
    rolesKept: 'gespeichert, wie zuletzt gesehen',
    rolesInBackups: 'nur in Backups',
    token: 'Token dafür',
    tokenKept: 'gespeichert, verschlüsselt',
    tokenNone: 'keines gespeichert',
    place: 'Land und Region',
    network: 'Netz',
    vpn: 'Für ein VPN gehalten',
    alt: 'Für ein Zweitkonto gehalten',
    device: 'Hash deines Geräts',
    created: 'Konto auf der Plattform erstellt',
  },
  hashes: {
    label: 'Gerät und Adresse',
    none: 'keine Hashes gespeichert',
    device: (until) => `Hashes deines Geräts, gespeichert bis ${until}`,
    address: (until) => `Hashes deiner Adresse, gespeichert bis ${until}`,
    both: (until) => `Hashes von Adresse und Gerät, gespeichert bis ${until}`,
  },
  attempt: {
    label: 'Verifizierungsversuch',
    verified: 'verifiziert',
    blocked: 'abgelehnt',
    unfinished: 'nicht beendet',
    forgotten: (outcome, at) => `${outcome}, wird vergessen am ${at}`,
  },
  join: {
    label: (at) => `Beigetreten ${at}`,
    held: 'während eines Raids: Der Owner muss über dich entscheiden',
    noticed: 'eine Zeit lang gespeichert, um Raids zu bemerken',
  },
  incident: {
    label: (at) => `Vorfall vom ${at}`,
    attack: 'was du getan hast, zählt als Angriff',
    stopped: 'was du getan hast, zählt als Angriff, und dir wurden vielleicht Rollen weggenommen',
  },
  acts: {
    label: 'Auf dem Server getan',
    entries: (entries) =>
      count(entries, {
        one: '# Eintrag seines Audit-Logs',
        other: '# Einträge seines Audit-Logs',
      }),
  },
  appeal: {
    label: (at) => `Einspruch vom ${at}`,
    OPEN: 'offen',
    ACCEPTED: 'angenommen',
    REJECTED: 'abgelehnt',
  },
  recall: {
    invited: (server) => [
      ...['Der Owner lädt dich ein, zurückzukommen zu ', server],
      ': Deine Erlaubnis, zurückgeholt zu werden, gilt nicht mehr, also trittst du selbst bei.',
    ],
    open: 'Einladung öffnen',
    until: (at) => `Nur wer gemeint ist, kann sie benutzen, bis ${at}.`,
  },
  withdraw: {
    button: 'Nicht zurückholen',
    label: (server) => `Nicht zurückholen zu ${server}`,
    stays: 'Du bleibst verifiziert.',
  },
  backups: {
    heading: 'In Backups',
    intro: 'Owner sichern ihre Server. Diese Backups enthalten etwas über dich:',
    ROLES_AND_NICKNAME: 'deine Rollen und dein Nickname',
    MESSAGES: 'Nachrichten von dir oder mit Erwähnung von dir',
    CHANNELS: 'Rechte oder Erwähnungen in Kanälen',
    TEXTS: 'Erwähnungen in Beschreibungen',
    within: (kind, backups) =>
      `${kind}, in ${count(backups, { one: 'einem Backup', other: '# Backups' })}`,
    saved: (at) => `gesichert am ${at}`,
    savedBetween: (from, to) => `gesichert zwischen ${from} und ${to}`,
  },
  erase: {
    heading: 'Alles löschen',
    what: 'Jeder Server vergisst dich sofort: dass du verifiziert warst, wozu du zugestimmt hast, deine Tokens, deine Einsprüche und deine Sitzungen. Backups verbergen dich sofort, sodass keine Wiederherstellung deine Rollen, deinen Nickname oder deine Nachrichten zurückbringt, und innerhalb von 24 Stunden wirst du aus den gespeicherten Backups selbst entfernt.',
    stays:
      'Was bleibt: Rollen, die du auf der Plattform hast (um einen Server zu verlassen, verlass ihn dort), und nur deine Plattform-ID in Listen, die Owner selbst führen, etwa Bans, gesperrte Kanäle und Regeln, und in ihrem Audit-Log. Wenn du dich wieder verifizierst, können spätere Backups dich wieder enthalten.',
    word: 'LÖSCHEN',
    label: (word) => `Zum Bestätigen ${word} eintippen`,
    unconfirmed: (word) => `Es wurde nichts gelöscht: Das Wort war nicht ${word}.`,
    submit: 'Alles über mich löschen',
  },
  erased: {
    title: 'Alles ist gelöscht',
    heading: 'Alles über dich ist gelöscht',
    text: 'Kein Server, der Holdfast nutzt, zeigt noch etwas über dich, und deine Tokens werden der Plattform zurückgegeben. Kein Backup bringt dich zurück; innerhalb von 24 Stunden wirst du aus den gespeicherten Backups selbst entfernt. Du bist abgemeldet.',
    owners:
      'Owner können deine Plattform-ID in eigenen Listen haben, auch in Bans, und in ihrem Log steht, dass du darum gebeten hast.',
  },
};
