import { formatsOf } from '../../../http/languages/formats.ts';
import type { MeTexts } from './en.ts';

const { count } = formatsOf('pl');

export const pl: MeTexts = {
  title: 'Twoje dane',
  signIn: {
    what: 'Zaloguj się przez platformę, a zobaczysz wszystkie serwery, które coś o tobie przechowują. Możesz wycofać zgodę, wyeksportować dane albo kazać wszystko usunąć.',
    only: 'Pytamy platformę tylko o to, kim jesteś, i nie zachowujemy żadnego tokenu dostępu.',
    kept: {
      label: 'Przechowywane',
      text: 'Serwery, na których się weryfikujesz, przechowują informację o weryfikacji, twoją nazwę, identyfikator i zdjęcie oraz kraj i sieć, z której przychodzisz. Przez 90 dni przechowują też skróty urządzenia i adresu, aby wykrywać drugie konta.',
    },
    agreed: {
      label: 'Tylko za twoją zgodą',
      text: 'Jeśli właściciel może cię przywrócić, przechowywany jest zaszyfrowany token dostępu z platformy. Jeśli wycofasz zgodę, zostanie usunięty, a weryfikacja pozostanie ważna.',
    },
    never: {
      label: 'Nigdy',
      text: 'Żaden serwer nie przechowuje twojego hasła, adresu e-mail ani samego adresu IP.',
    },
    button: 'Zaloguj się przez platformę',
  },
  signedInAs: (name, username, platformId) => [
    ...['Zalogowane konto: ', name, ' (', username, '), identyfikator ', platformId, '.'],
  ],
  sessions: (sessions) =>
    `Masz ${count(sessions, { one: '# sesję', few: '# sesje', many: '# sesji', other: '# sesji' })}.`,
  nothing: 'Żaden serwer niczego o tobie nie przechowuje.',
  ownersLists:
    'Listy, według których właściciel wpuszcza lub nie wpuszcza osób, także bany, należą do właściciela i nie są tu pokazywane.',
  exportJson: 'Eksportuj jako JSON',
  signOut: 'Wyloguj się',
  yes: 'tak',
  no: 'nie',
  kept: 'przechowywany',
  notKept: 'brak',
  membership: {
    verified: 'Weryfikacja',
    left: 'Zauważone odejście',
    name: 'Pod nazwą',
    recovery: 'Czy właściciel może cię przywrócić?',
    agreed: (at) => `tak, zgoda z ${at}`,
    roles: 'Role i pseudonim do tego',
    rolesKept: 'przechowywane w ostatnio widzianej postaci',
    rolesInBackups: 'tylko w kopiach zapasowych',
    token: 'Token do tego',
    tokenKept: 'przechowywany, zaszyfrowany',
    tokenNone: 'żaden',
    place: 'Kraj i region',
    network: 'Sieć',
    vpn: 'Uznane za VPN',
    alt: 'Uznane za drugie konto',
    device: 'Skrót twojego urządzenia',
    created: 'Konto założone na platformie',
  },
  hashes: {
    label: 'Urządzenie i adres',
    none: 'brak skrótów',
    device: (until) => `skróty urządzenia przechowywane do ${until}`,
    address: (until) => `skróty adresu przechowywane do ${until}`,
    both: (until) => `skróty adresu i urządzenia przechowywane do ${until}`,
  },
  attempt: {
    label: 'Próba weryfikacji',
    verified: 'udana',
    blocked: 'odrzucona',
    unfinished: 'niedokończona',
    forgotten: (outcome, at) => `${outcome}, zapomniana ${at}`,
  },
  join: {
    label: (at) => `Dołączenie: ${at}`,
    held: 'podczas najazdu: właściciel musi o tobie zdecydować',
    noticed: 'przechowywane przez pewien czas, aby zauważać najazdy',
  },
  incident: {
    label: (at) => `Incydent z ${at}`,
    attack: 'to, co się stało, liczy się jako atak z twojej strony',
    stopped:
      'to, co się stało, liczy się jako atak z twojej strony, a część ról mogła ci zostać odebrana',
  },
  acts: {
    label: 'Działania na serwerze',
    entries: (entries) =>
      count(entries, {
        one: '# wpis w jego dzienniku zdarzeń',
        few: '# wpisy w jego dzienniku zdarzeń',
        many: '# wpisów w jego dzienniku zdarzeń',
        other: '# wpisu w jego dzienniku zdarzeń',
      }),
  },
  appeal: {
    label: (at) => `Odwołanie z ${at}`,
    OPEN: 'otwarte',
    ACCEPTED: 'przyjęte',
    REJECTED: 'odrzucone',
  },
  recall: {
    invited: (server) => [
      ...['Właściciel zaprasza cię z powrotem na serwer ', server],
      ': twoja zgoda na przywrócenie nie jest już ważna, więc dołącz samodzielnie.',
    ],
    open: 'Otwórz zaproszenie',
    until: (at) => `Mogą go użyć tylko osoby, dla których powstało, do ${at}.`,
  },
  withdraw: {
    button: 'Nie przywracaj mnie',
    label: (server) => `Nie przywracaj mnie na serwer ${server}`,
    stays: 'Weryfikacja pozostaje ważna.',
  },
  backups: {
    heading: 'W kopiach zapasowych',
    intro: 'Właściciele robią kopie swoich serwerów. Te kopie zawierają coś o tobie:',
    ROLES_AND_NICKNAME: 'twoje role i pseudonim',
    MESSAGES: 'wiadomości od ciebie lub ze wzmianką o tobie',
    CHANNELS: 'uprawnienia lub wzmianki na kanałach',
    TEXTS: 'wzmianki w opisach',
    within: (kind, backups) =>
      `${kind}, w ${count(backups, { one: 'jednej kopii', few: '# kopiach', many: '# kopiach', other: '# kopii' })}`,
    saved: (at) => `zapisano ${at}`,
    savedBetween: (from, to) => `zapisano między ${from} a ${to}`,
  },
  erase: {
    heading: 'Usuń wszystko',
    what: 'Każdy serwer od razu o tobie zapomina: o weryfikacji, zgodach, tokenach, odwołaniach i sesjach. Kopie zapasowe od razu cię ukrywają, więc żadne przywracanie nie przyniesie z powrotem twoich ról, pseudonimu ani wiadomości, a w ciągu 24 godzin znikniesz też z samych zapisanych kopii.',
    stays:
      'Co zostaje: role, które masz na platformie (aby opuścić serwer, zrób to tam), oraz sam twój identyfikator na listach, które prowadzą właściciele, takich jak bany, zablokowane kanały i reguły, i w ich dzienniku zdarzeń. Jeśli zweryfikujesz się ponownie, późniejsze kopie mogą cię znów zawierać.',
    word: 'USUŃ',
    label: (word) => `Wpisz ${word}, aby potwierdzić`,
    unconfirmed: (word) => `Nic nie zostało usunięte: wpisane słowo to nie ${word}.`,
    submit: 'Usuń wszystko o mnie',
  },
  erased: {
    title: 'Wszystko usunięte',
    heading: 'Wszystko o tobie zostało usunięte',
    text: 'Żaden serwer korzystający z Holdfast nie pokazuje już niczego o tobie, a twoje tokeny są zwracane platformie. Żadna kopia cię nie przywróci; w ciągu 24 godzin znikniesz też z samych zapisanych kopii. Sesja została zakończona.',
    owners:
      'Właściciele mogą mieć twój identyfikator na własnych listach, także wśród banów, a ich dziennik mówi, że prośba pochodziła od ciebie.',
  },
};
