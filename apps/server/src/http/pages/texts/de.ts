import type { PageTexts } from './en.ts';

export const de: PageTexts = {
  language: 'Sprache',
  poweredBy: (holdfast) => ['Betrieben mit ', holdfast],
  yourData: 'Deine Daten',
  notFound: {
    title: 'Hier gibt es keine Seite',
    message: 'Vielleicht ist die Adresse vertippt, oder die Seite wurde verschoben oder gelöscht.',
  },
  tooMany: { title: 'Zu viele Anfragen', message: 'Warte eine Minute und versuch es noch einmal.' },
  failed: {
    title: 'Bei uns ist etwas schiefgegangen',
    message: 'Versuch es gleich noch einmal. Der Fehler wurde aufgezeichnet.',
  },
  unavailable: { title: 'Gerade nicht erreichbar', message: 'Versuch es gleich noch einmal.' },
  refused: {
    title: 'Das hat nicht geklappt',
    message:
      'Die Anfrage wurde abgelehnt. Geh zurück, lade die Seite neu und versuch es noch einmal.',
  },
  requestId: 'Wenn es wieder passiert, nenne dem Betreiber diese Anfrage-ID:',
  startPage: 'Startseite',
  guides: 'Anleitungen',
  newLink:
    'Du kamst über einen Verifizieren-Button? Bitte den Owner des Servers um einen neuen Link.',
};
