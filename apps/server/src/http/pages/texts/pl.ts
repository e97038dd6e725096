import type { PageTexts } from './en.ts';

export const pl: PageTexts = {
  language: 'Język',
  poweredBy: (holdfast) => ['Działa dzięki ', holdfast],
  yourData: 'Twoje dane',
  notFound: {
    title: 'Tu nie ma żadnej strony',
    message: 'W adresie może być literówka albo strona została przeniesiona lub usunięta.',
  },
  tooMany: { title: 'Za dużo żądań', message: 'Poczekaj minutę i spróbuj ponownie.' },
  failed: {
    title: 'Coś poszło nie tak po naszej stronie',
    message: 'Spróbuj ponownie za chwilę. Błąd został zapisany.',
  },
  unavailable: { title: 'Chwilowo niedostępne', message: 'Spróbuj ponownie za chwilę.' },
  refused: {
    title: 'To się nie udało',
    message: 'Żądanie zostało odrzucone. Wróć, odśwież stronę i spróbuj ponownie.',
  },
  requestId: 'Jeśli to się powtórzy, podaj operatorowi ten identyfikator żądania:',
  startPage: 'Strona główna',
  guides: 'Poradniki',
  newLink: 'Prowadził tu przycisk weryfikacji? Poproś właściciela serwera o nowy link.',
};
