import type { PageTexts } from './en.ts';

export const fr: PageTexts = {
  language: 'Langue',
  poweredBy: (holdfast) => ['Propulsé par ', holdfast],
  yourData: 'Tes données',
  notFound: {
    title: 'Il n’y a pas de page ici',
    message: 'L’adresse est peut-être mal saisie, ou la page a été déplacée ou supprimée.',
  },
  tooMany: { title: 'Trop de requêtes', message: 'Attends une minute, puis réessaie.' },
  failed: {
    title: 'Un problème est survenu de notre côté',
    message: 'Réessaie dans un instant. L’erreur a été enregistrée.',
  },
  unavailable: { title: 'Indisponible pour le moment', message: 'Réessaie dans un instant.' },
  refused: {
    title: 'Ça n’a pas marché',
    message: 'La requête a été refusée. Reviens en arrière, recharge la page et réessaie.',
  },
  requestId: 'Si cela se reproduit, donne cet identifiant de requête à l’exploitant :',
  startPage: 'Page d’accueil',
  guides: 'Nos guides',
  newLink:
    'Tu viens d’un bouton de vérification ? Demande un nouveau lien au propriétaire du serveur.',
};
