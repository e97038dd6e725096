import { formatsOf } from '../../../http/languages/formats.ts';
import type { VerificationTexts } from './en.ts';

const { count } = formatsOf('pl');

const characters = (most: number): string =>
  count(most, { one: '# znak', few: '# znaki', many: '# znaków', other: '# znaku' });

export const pl: VerificationTexts = {
  visit: {
    title: (server) => `Weryfikacja na serwerze ${server}`,
    heading: 'Zweryfikuj się, aby wejść',
    why: (server) => [server, ' chce mieć pewność, że nowe osoby to prawdziwi ludzie.'],
    stepsWithRole:
      'Jedna minuta: logujesz się, przeglądarka rozwiązuje małe zadanie, dostajesz rolę.',
    steps: 'Jedna minuta: logujesz się, przeglądarka rozwiązuje małe zadanie i gotowe.',
    asked: 'O co pytamy',
    askedOfPlatform:
      'Twoja nazwa, identyfikator i zdjęcie na platformie. Nigdy hasło ani wiadomości.',
    askedGuilds: 'Jednorazowo także, na jakich serwerach jesteś. Ta lista nie jest przechowywana.',
    optional: 'Nieobowiązkowe',
    recovery: 'Właściciel może mnie przywrócić, jeśli serwer przepadnie',
    recoveryMeans:
      'Jeśli serwer zostanie usunięty lub przejęty, właściciel może dodać cię do nowego. Zgodę możesz wycofać w każdej chwili.',
    submit: 'Zweryfikuj mnie',
    stored: 'Co jest przechowywane i jak długo',
    storedOfYou:
      'Twoja nazwa, identyfikator i zdjęcie, kraj i sieć, z której przychodzisz, oraz przez 90 dni skróty urządzenia i adresu, aby wykrywać drugie konta. Sam adres nie jest przechowywany.',
    storedForRecovery:
      'Tylko jeśli właściciel może cię przywrócić: zaszyfrowany token dostępu z platformy. Jeśli wycofasz zgodę, zostanie usunięty, a weryfikacja pozostanie ważna.',
    source: 'Dane o sieciach: DB-IP',
  },
  stricter: {
    title: 'Sprawdzanie jest teraz surowsze,',
    because: 'bo na ten serwer przyszło naraz bardzo dużo osób.',
    youngAccounts: (days) =>
      `Konta młodsze niż ${count(days, { one: '# dzień', few: '# dni', many: '# dni', other: '# dnia' })} nie mogą być teraz zweryfikowane.`,
    later: 'W razie odmowy spróbuj ponownie później tego samego dnia.',
  },
  standing: {
    verified: {
      title: 'Twoje konto jest tu zweryfikowane.',
      text: 'Powtórz to tylko, jeśli brakuje ci roli lub chcesz zmienić swój wybór.',
    },
    held: {
      title: 'Czekasz na decyzję właściciela.',
      text: 'Sprawdza wszystkie osoby, które przyszły w tej samej chwili.',
    },
    refused: { title: 'Ostatnia próba została odrzucona.', text: 'Możesz spróbować ponownie.' },
    appealOpen: {
      title: 'Właściciel ma twoją wiadomość.',
      text: 'Jeszcze nie podjął decyzji.',
    },
    appealAccepted: {
      title: 'Właściciel cię wpuszcza.',
      text: 'Zweryfikuj się jeszcze raz i gotowe.',
    },
    appealRejected: {
      title: 'Właściciel odrzucił twoje odwołanie.',
      text: 'Mimo to możesz spróbować ponownie.',
    },
    more: 'Więcej o tym',
  },
  check: {
    title: (server) => `Sprawdzanie przeglądarki na serwerze ${server}`,
    heading: 'Chwileczkę',
    hello: (name) => ['Cześć, ', name, '.'],
    task: 'Przeglądarka rozwiązuje małe zadanie. Zajmie to kilka sekund, a potem strona sama przejdzie dalej.',
    scriptsOff: 'Skrypty są wyłączone.',
    allowScript:
      'To sprawdzenie wymaga skryptu: zezwól na niego na tej stronie i odśwież ją. Pochodzi z tej witryny i nie łączy się z nikim innym.',
    allowScripts: 'To sprawdzenie ich wymaga: zezwól na nie na tej stronie i odśwież ją.',
    signedIn: 'Logowanie się udało. Strona sama przejdzie dalej; jeśli nie, naciśnij przycisk.',
    widget: 'Pokaż, że jesteś człowiekiem, a potem przejdź dalej.',
    continue: 'Dalej',
    trouble:
      'Przeglądarka nie dokończyła sprawdzania. Odśwież stronę albo użyj innej przeglądarki.',
    tryAgain: 'Spróbuj ponownie',
    lookAgain: 'Sprawdź ponownie',
  },
  captcha: {
    title: 'Sprawdzenie się nie udało',
    wrong: 'Zadanie nie zostało poprawnie rozwiązane.',
    stale: 'Zadanie zostało już użyte albo trwało zbyt długo.',
    missing: 'Zadanie nie zostało rozwiązane. Wymaga skryptów: zezwól na nie na tej stronie.',
    unreachable: 'Sprawdzenie nie jest teraz możliwe. Poczekaj chwilę.',
  },
  noFingerprint: {
    title: 'Nie udało się rozpoznać przeglądarki',
    message:
      'Ten serwer porównuje urządzenia, aby nikt nie wszedł drugi raz. Zezwól na skrypty na tej stronie i wyłącz rozszerzenia, które je blokują. Przechowywany jest tylko skrót urządzenia, przez 90 dni.',
  },
  held: {
    title: 'Poczekaj na decyzję właściciela',
    message:
      'Na serwer przyszło w tej samej chwili bardzo dużo osób, więc właściciel najpierw sprawdza wszystkich. Z twoimi odpowiedziami wszystko w porządku: otwórz tę stronę później.',
  },
  blocked: {
    BLACKLIST: {
      title: 'Nie możesz wejść',
      message: 'Właściciel serwera nie wpuszcza tego konta.',
    },
    FIREWALL: {
      title: 'Nie możesz wejść',
      message:
        'Właściciel serwera ustalił zasady, kto może wejść, i jedna z nich pasuje do twojego konta lub połączenia.',
    },
    VPN: {
      title: 'Twoje połączenie wygląda na VPN',
      message:
        'Ten serwer nie wpuszcza nikogo przez VPN ani sieci hostingowe. Wyłącz VPN albo użyj innego połączenia, na przykład danych komórkowych, i spróbuj ponownie.',
    },
    ALT: {
      title: 'Wygląda na to, że już tu jesteś',
      message:
        'Z twojego urządzenia lub połączenia zweryfikowano już inne konto. U osób, które mieszkają razem, może to być pomyłka: wtedy napisz poniżej do właściciela.',
    },
    ACCOUNT_AGE: {
      title: 'Twoje konto jest zbyt nowe',
      message:
        'Ten serwer wpuszcza konta dopiero od pewnego wieku. Spróbuj później albo napisz właścicielowi, dlaczego może ci zaufać.',
    },
    CAPTCHA: {
      title: 'Sprawdzenie się nie udało',
      message: 'Przeglądarka nie rozwiązała zadania. Spróbuj ponownie.',
    },
  },
  appeal: {
    heading: 'To pomyłka?',
    label: 'Napisz właścicielowi, dlaczego powinien cię wpuścić:',
    hint: (most) => `Najwyżej ${characters(most)}. Zobaczy też twoją nazwę i identyfikator.`,
    invalid: (most) => `Napisz co najmniej 1 i najwyżej ${characters(most)}.`,
    submit: 'Wyślij do właściciela',
    open: {
      title: 'Oczekiwanie na właściciela',
      sent: 'Właściciel ma twoją wiadomość.',
      text: 'Jeszcze nie podjął decyzji. Otwórz tę stronę później: zobaczysz tu, co postanowił.',
    },
    accepted: {
      title: 'Właściciel cię wpuszcza',
      text: 'Twoje odwołanie zostało przyjęte. Zweryfikuj się jeszcze raz i gotowe.',
      verify: 'Zweryfikuj się jeszcze raz',
    },
    rejected: {
      title: 'Właściciel odrzucił twoje odwołanie',
      text: 'Przeczytał twoją wiadomość i nie wpuszcza tego konta.',
      again: 'Napisz ponownie do właściciela',
    },
  },
  done: {
    title: (server) => `Zweryfikowano na serwerze ${server}`,
    heading: 'Weryfikacja zakończona',
    roleComing: 'Twoja rola jest w drodze. Ta strona sama się odświeża.',
    allDone: 'Wszystko gotowe. Możesz zamknąć tę stronę i wrócić na serwer.',
    recoveryYes: 'Zgodnie z twoją zgodą właściciel może cię przywrócić, jeśli serwer przepadnie.',
    recoveryNo:
      'Nie ma twojej zgody na przywrócenie, jeśli serwer przepadnie. Aby to zmienić, zweryfikuj się ponownie.',
    verifyAgain: 'Zweryfikuj się ponownie',
  },
  role: {
    platformSilent:
      'Platforma w tej chwili nie odpowiada. Rola pojawi się, gdy tylko odpowie: możesz zamknąć tę stronę.',
    notInServer:
      'Nie ma cię jeszcze na serwerze. Dołącz do niego, a potem zweryfikuj się jeszcze raz, aby dostać rolę.',
    missingPermission:
      'Bot serwera nie może nadać ci roli. Powiedz o tym właścicielowi: bot musi mieć prawo do zarządzania rolami i stać wyżej niż ta rola.',
    roleGone: 'Rola, którą należało nadać, już nie istnieje. Powiedz o tym właścicielowi serwera.',
    roleWithheld:
      'Rola, którą należało nadać, daje więcej uprawnień, niż ktokolwiek potwierdził. Dostaniesz ją, gdy właściciel serwera to wyjaśni.',
    failed:
      'Bot serwera nie zdołał nadać ci roli. Powiedz o tym właścicielowi serwera; weryfikacja i tak jest ważna.',
  },
  errors: {
    stateInvalid: {
      title: 'Zacznij od nowa',
      message:
        'Ten krok został już użyty, trwał zbyt długo albo zaczął się w innej przeglądarce. Jeśli twoje konto było już zweryfikowane, nadal takie jest. Jeśli to się powtórzy, zezwól na pliki cookie na tej stronie.',
    },
    declined: {
      title: 'Brak zgody',
      message: 'Nic nie zostało zapisane. Możesz zacząć od nowa, kiedy zechcesz.',
    },
    signInRefused: {
      title: 'Zacznij od nowa',
      message: 'Platforma nie przyjęła tego logowania. Nic nie zostało zapisane.',
    },
    scopeWithheld: {
      title: 'Brakuje uprawnienia',
      message:
        'Ten serwer prosi o wszystko, co pokazała platforma, a część została usunięta z adresu. Nic nie zostało zapisane. Zacznij od nowa i nie zmieniaj adresu.',
    },
    scopesChanged: {
      title: 'Zacznij od nowa',
      message:
        'Serwer prosi teraz o jedną rzecz więcej niż na początku. Nic nie zostało zapisane; to potrwa chwilę.',
    },
    platformUnreachable: {
      title: 'Platforma nie odpowiada',
      message: 'Nic nie zostało zapisane. Poczekaj chwilę i zacznij od nowa.',
    },
    botUnusable: {
      title: 'Weryfikacja jest chwilowo zamknięta',
      message:
        'Bota serwera nie można w tej chwili używać. Właściciel serwera może to naprawić: powiedz mu o tym.',
    },
    startAgain: 'Zacznij od nowa',
    openLink: 'Otwórz ponownie link weryfikacyjny serwera, aby zacząć od początku.',
  },
  tooManyAttempts: {
    title: 'Zbyt wiele prób',
    message:
      'Z twojego adresu było bardzo dużo prób. Nic nie zostało zapisane. Poczekaj minutę, a potem otwórz ponownie link weryfikacyjny serwera.',
  },
  noServer: {
    title: 'Nie ma tu takiego serwera',
    message: 'W linku może być literówka albo jest stary. Poproś właściciela serwera o nowy.',
  },
};
