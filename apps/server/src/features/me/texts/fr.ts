import { formatsOf } from '../../../http/languages/formats.ts';
import type { MeTexts } from './en.ts';

const { count } = formatsOf('fr');

export const fr: MeTexts = {
  title: 'Tes données',
  signIn: {
    what: 'Connecte-toi avec la plateforme pour voir tous les serveurs qui conservent quelque chose sur toi. Tu peux retirer ton accord, tout exporter ou tout faire effacer.',
    only: 'Nous demandons seulement à la plateforme qui tu es, et ne gardons aucun jeton d’accès.',
    kept: {
      label: 'Conservé',
      text: 'Les serveurs où ton compte est vérifié conservent cette vérification, ton nom, ton identifiant et ta photo, ton pays et ton réseau. Pendant 90 jours, ils conservent aussi des empreintes de ton appareil et de ton adresse, pour repérer les doubles comptes.',
    },
    agreed: {
      label: 'Seulement avec ton accord',
      text: 'Si le propriétaire peut te faire revenir, un jeton d’accès de la plateforme est conservé, chiffré. Si tu retires ton accord, il est supprimé et ta vérification reste valable.',
    },
    never: {
      label: 'Jamais',
      text: 'Aucun serveur ne conserve ton mot de passe, ton adresse e-mail ni ton adresse IP elle-même.',
    },
    button: 'Me connecter avec la plateforme',
  },
  signedInAs: (name, username, platformId) => [
    ...['Compte connecté : ', name, ' (', username, '), identifiant ', platformId, '.'],
  ],
  sessions: (sessions) => `Tu as ${count(sessions, { one: '# session', other: '# sessions' })}.`,
  nothing: 'Aucun serveur ne conserve quoi que ce soit sur toi.',
  ownersLists:
    'Les listes avec lesquelles un propriétaire laisse entrer ou écarte des personnes, bannissements compris, lui appartiennent et ne sont pas affichées ici.',
  exportJson: 'Exporter en JSON',
  signOut: 'Me déconnecter',
  yes: 'oui',
  no: 'non',
  kept: 'conservé',
  notKept: 'non conservé',
  membership: {
    verified: 'Vérification',
    left: 'Départ constaté',
    name: 'Sous le nom',
    recovery: 'Le propriétaire peut-il te faire revenir ?',
    agreed: (at) => `oui, accord donné le ${at}`,
    roles: 'Rôles et pseudo pour cela',
    rolesKept: 'conservés tels que vus la dernière fois',
    rolesInBackups: 'seulement dans les sauvegardes',
    token: 'Jeton pour cela',
    tokenKept: 'conservé, chiffré',
    tokenNone: 'aucun',
    place: 'Pays et région',
    network: 'Réseau',
    vpn: 'Pris pour un VPN',
    alt: 'Pris pour un double compte',
    device: 'Empreinte de ton appareil',
    created: 'Compte créé sur la plateforme',
  },
  hashes: {
    label: 'Appareil et adresse',
    none: 'aucune empreinte conservée',
    device: (until) => `empreintes de ton appareil conservées jusqu’au ${until}`,
    address: (until) => `empreintes de ton adresse conservées jusqu’au ${until}`,
    both: (until) => `empreintes de ton adresse et de ton appareil conservées jusqu’au ${until}`,
  },
  attempt: {
    label: 'Tentative de vérification',
    verified: 'réussie',
    blocked: 'refusée',
    unfinished: 'inachevée',
    forgotten: (outcome, at) => `${outcome}, oubliée le ${at}`,
  },
  join: {
    label: (at) => `Arrivée le ${at}`,
    held: 'pendant un raid : le propriétaire doit décider à ton sujet',
    noticed: 'conservée un temps pour repérer les raids',
  },
  incident: {
    label: (at) => `Incident du ${at}`,
    attack: 'ce que tu as fait compte comme une attaque',
    stopped: 'ce que tu as fait compte comme une attaque, et des rôles t’ont peut-être été retirés',
  },
  acts: {
    label: 'Fait sur le serveur',
    entries: (entries) =>
      count(entries, {
        one: '# entrée de son journal d’audit',
        other: '# entrées de son journal d’audit',
      }),
  },
  appeal: {
    label: (at) => `Demande du ${at}`,
    OPEN: 'en attente',
    ACCEPTED: 'acceptée',
    REJECTED: 'rejetée',
  },
  recall: {
    invited: (server) => [
      ...['Le propriétaire t’invite à revenir sur ', server],
      ' : ton accord pour revenir automatiquement n’est plus valable, à toi donc de rejoindre le serveur.',
    ],
    open: 'Ouvrir l’invitation',
    until: (at) => `Seules les personnes invitées peuvent l’utiliser, jusqu’au ${at}.`,
  },
  withdraw: {
    button: 'Ne plus me faire revenir',
    label: (server) => `Ne plus me faire revenir sur ${server}`,
    stays: 'Ta vérification reste valable.',
  },
  backups: {
    heading: 'Dans les sauvegardes',
    intro:
      'Les propriétaires sauvegardent leurs serveurs. Ces sauvegardes contiennent quelque chose sur toi :',
    ROLES_AND_NICKNAME: 'tes rôles et ton pseudo',
    MESSAGES: 'des messages que tu as écrits ou qui te mentionnent',
    CHANNELS: 'des permissions ou des mentions dans des salons',
    TEXTS: 'des mentions dans des descriptions',
    within: (kind, backups) =>
      `${kind}, dans ${count(backups, { one: 'une sauvegarde', other: '# sauvegardes' })}`,
    saved: (at) => `enregistré le ${at}`,
    savedBetween: (from, to) => `enregistré entre le ${from} et le ${to}`,
  },
  erase: {
    heading: 'Tout effacer',
    what: 'Chaque serveur t’oublie aussitôt : ta vérification, tes accords, tes jetons, tes demandes et tes sessions. Les sauvegardes te masquent aussitôt, si bien qu’aucune restauration ne ramène tes rôles, ton pseudo ou tes messages, et sous 24 heures tu disparais aussi des sauvegardes elles-mêmes.',
    stays:
      'Ce qui reste : les rôles que tu as sur la plateforme (pour quitter un serveur, quitte-le là-bas), et ton seul identifiant dans les listes que tiennent les propriétaires, comme les bannissements, les salons interdits et les règles, et dans leur journal d’audit. Si tu te vérifies à nouveau, de nouvelles sauvegardes pourront te contenir.',
    word: 'EFFACER',
    label: (word) => `Saisis ${word} pour confirmer`,
    unconfirmed: (word) => `Rien n’a été effacé : le mot n’était pas ${word}.`,
    submit: 'Effacer tout ce qui me concerne',
  },
  erased: {
    title: 'Tout est effacé',
    heading: 'Tout ce qui te concerne est effacé',
    text: 'Plus aucun serveur utilisant Holdfast n’affiche quoi que ce soit sur toi, et tes jetons sont rendus à la plateforme. Aucune sauvegarde ne te ramène ; sous 24 heures, tu disparais aussi des sauvegardes elles-mêmes. La session est fermée.',
    owners:
      'Des propriétaires peuvent avoir ton identifiant dans leurs propres listes, bannissements compris, et leur journal indique que tu as fait cette demande.',
  },
};
