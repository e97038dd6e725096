import { formatsOf } from '../../../http/languages/formats.ts';
import type { VerificationTexts } from './en.ts';

const { count } = formatsOf('fr');

export const fr: VerificationTexts = {
  visit: {
    title: (server) => `Vérification pour ${server}`,
    heading: 'Vérifie-toi pour entrer',
    why: (server) => [server, ' veut s’assurer que les nouveaux sont de vraies personnes.'],
    stepsWithRole:
      'Une minute : tu te connectes, ton navigateur fait un petit calcul, tu reçois ton rôle.',
    steps: 'Une minute : tu te connectes, ton navigateur fait un petit calcul, et c’est fini.',
    asked: 'Ce qui est demandé',
    askedOfPlatform:
      'Ton nom, ton identifiant et ta photo sur la plateforme. Jamais ton mot de passe ni tes messages.',
    askedGuilds:
      'Aussi, une seule fois, les serveurs dont tu fais partie. La liste n’est pas conservée.',
    optional: 'Facultatif',
    recovery: 'Le propriétaire peut me faire revenir si le serveur est perdu',
    recoveryMeans:
      'S’il est supprimé ou piraté, le propriétaire peut t’ajouter au nouveau serveur. Tu peux retirer cet accord à tout moment.',
    submit: 'Me vérifier',
    stored: 'Ce qui est conservé, et combien de temps',
    storedOfYou:
      'Ton nom, ton identifiant et ta photo, ton pays et ton réseau, et pendant 90 jours des empreintes de ton appareil et de ton adresse, pour repérer les doubles comptes. L’adresse elle-même n’est pas conservée.',
    storedForRecovery:
      'Seulement si le propriétaire peut te faire revenir : un jeton d’accès de la plateforme, chiffré. Si tu retires ton accord, il est supprimé et ta vérification reste valable.',
    source: 'Données réseau : DB-IP',
  },
  stricter: {
    title: 'Les contrôles sont plus stricts en ce moment,',
    because: 'car énormément de personnes sont arrivées en même temps sur ce serveur.',
    youngAccounts: (days) =>
      `Les comptes de moins de ${count(days, { one: '# jour', other: '# jours' })} ne peuvent pas être vérifiés pour l’instant.`,
    later: 'En cas de refus, réessaie plus tard dans la journée.',
  },
  standing: {
    verified: {
      title: 'Ton compte est vérifié ici.',
      text: 'Recommence seulement si ton rôle manque ou si tu veux changer ton choix.',
    },
    held: {
      title: 'Le propriétaire n’a pas encore décidé.',
      text: 'Il examine toutes les personnes arrivées au même moment.',
    },
    refused: { title: 'Ta dernière tentative a été refusée.', text: 'Tu peux réessayer.' },
    appealOpen: {
      title: 'Le propriétaire a reçu ton message.',
      text: 'Il n’a pas encore décidé.',
    },
    appealAccepted: {
      title: 'Le propriétaire te laisse entrer.',
      text: 'Vérifie-toi encore une fois, et c’est bon.',
    },
    appealRejected: {
      title: 'Le propriétaire a rejeté ta demande.',
      text: 'Tu peux quand même réessayer.',
    },
    more: 'En savoir plus',
  },
  check: {
    title: (server) => `Contrôle de ton navigateur pour ${server}`,
    heading: 'Un instant',
    hello: (name) => ['Bonjour ', name, ' !'],
    task: 'Ton navigateur fait un petit calcul. Cela prend quelques secondes, puis la page continue toute seule.',
    scriptsOff: 'Les scripts sont désactivés.',
    allowScript:
      'Ce contrôle en a besoin d’un : autorise-le pour cette page, puis recharge-la. Il vient de ce site et ne communique avec personne d’autre.',
    allowScripts: 'Ce contrôle en a besoin : autorise-les pour cette page, puis recharge-la.',
    signedIn: 'La connexion est faite. La page continue toute seule ; sinon, appuie sur le bouton.',
    widget: 'Montre que tu es une personne, puis continue.',
    continue: 'Continuer',
    trouble:
      'Ton navigateur n’a pas pu terminer le contrôle. Recharge la page ou essaie un autre navigateur.',
    tryAgain: 'Réessayer',
    lookAgain: 'Regarder à nouveau',
  },
  captcha: {
    title: 'Le contrôle n’a pas marché',
    wrong: 'Le calcul n’est pas juste.',
    stale: 'Le calcul a déjà servi ou a pris trop de temps.',
    missing: 'Le calcul n’a pas été fait. Il a besoin de scripts : autorise-les pour cette page.',
    unreachable: 'Le contrôle est impossible pour le moment. Attends un peu.',
  },
  noFingerprint: {
    title: 'Ton navigateur n’a pas pu être reconnu',
    message:
      'Ce serveur compare les appareils, pour que personne n’entre une deuxième fois. Autorise les scripts pour cette page et désactive les extensions qui les bloquent. Seule une empreinte de ton appareil est conservée, pendant 90 jours.',
  },
  held: {
    title: 'Attends la décision du propriétaire',
    message:
      'Tu as rejoint le serveur en même temps que beaucoup d’autres, alors le propriétaire regarde d’abord tout le monde. Tes réponses n’y sont pour rien : rouvre cette page plus tard.',
  },
  blocked: {
    BLACKLIST: {
      title: 'Tu ne peux pas entrer',
      message: 'Le propriétaire du serveur ne laisse pas entrer ce compte.',
    },
    FIREWALL: {
      title: 'Tu ne peux pas entrer',
      message:
        'Le propriétaire du serveur a fixé des règles d’entrée, et l’une d’elles s’applique à ton compte ou à ta connexion.',
    },
    VPN: {
      title: 'Ta connexion ressemble à un VPN',
      message:
        'Ce serveur ne laisse entrer personne par un VPN ou un réseau d’hébergement. Désactive-le ou utilise une autre connexion, par exemple les données mobiles, puis réessaie.',
    },
    ALT: {
      title: 'Tu sembles déjà être ici',
      message:
        'Un autre compte a été vérifié depuis ton appareil ou ta connexion. Entre personnes d’un même foyer, cela peut être une erreur : dans ce cas, écris au propriétaire ci-dessous.',
    },
    ACCOUNT_AGE: {
      title: 'Ton compte est trop récent',
      message:
        'Ce serveur n’accepte les comptes qu’à partir d’un certain âge. Réessaie plus tard, ou explique au propriétaire pourquoi il peut te faire confiance.',
    },
    CAPTCHA: {
      title: 'Le contrôle n’a pas marché',
      message: 'Ton navigateur n’a pas réussi son calcul. Réessaie.',
    },
  },
  appeal: {
    heading: 'Une erreur ?',
    label: 'Explique au propriétaire pourquoi il devrait te laisser entrer :',
    hint: (most) =>
      `Jusqu’à ${count(most, { one: '# caractère', other: '# caractères' })}. Ton nom et ton identifiant sont transmis avec.`,
    invalid: (most) =>
      `Écris entre 1 et ${count(most, { one: '# caractère', other: '# caractères' })}.`,
    submit: 'Envoyer au propriétaire',
    open: {
      title: 'En attente du propriétaire',
      sent: 'Le propriétaire a reçu ton message.',
      text: 'Il n’a pas encore décidé. Rouvre cette page plus tard : elle affichera sa décision.',
    },
    accepted: {
      title: 'Le propriétaire te laisse entrer',
      text: 'Ta demande a été acceptée. Vérifie-toi encore une fois, et c’est bon.',
      verify: 'Me vérifier encore une fois',
    },
    rejected: {
      title: 'Le propriétaire a rejeté ta demande',
      text: 'Il a lu ton message et ne laisse pas entrer ce compte.',
      again: 'Écrire à nouveau au propriétaire',
    },
  },
  done: {
    title: (server) => `Vérification réussie pour ${server}`,
    heading: 'C’est vérifié',
    roleComing: 'Ton rôle arrive. Cette page se met à jour toute seule.',
    allDone: 'C’est terminé. Tu peux fermer cette page et retourner sur le serveur.',
    recoveryYes:
      'Le propriétaire peut te faire revenir si le serveur est perdu, comme tu l’as accepté.',
    recoveryNo:
      'Tu n’as pas accepté de revenir automatiquement si le serveur est perdu. Pour changer cela, vérifie-toi à nouveau.',
    verifyAgain: 'Me vérifier à nouveau',
  },
  role: {
    platformSilent:
      'La plateforme ne répond pas pour le moment. Ton rôle arrivera dès qu’elle répondra : tu peux fermer cette page.',
    notInServer:
      'Tu n’es pas encore sur le serveur. Rejoins-le, puis vérifie-toi encore une fois pour recevoir ton rôle.',
    missingPermission:
      'Le bot du serveur n’a pas le droit de te donner le rôle. Préviens le propriétaire : le bot doit pouvoir gérer les rôles et être placé au-dessus de celui-ci.',
    roleGone: 'Le rôle que tu devais recevoir n’existe plus. Préviens le propriétaire du serveur.',
    roleWithheld:
      'Le rôle que tu devais recevoir donne plus de permissions que quiconque n’en a confirmé. Tu le recevras dès que le propriétaire du serveur aura réglé cela.',
    failed:
      'Le bot du serveur n’a pas pu te donner le rôle. Préviens le propriétaire du serveur ; la vérification, elle, est bien faite.',
  },
  errors: {
    stateInvalid: {
      title: 'Recommence depuis le début',
      message:
        'Cette étape a déjà servi, a pris trop de temps ou a commencé dans un autre navigateur. Si ton compte était déjà vérifié, il l’est toujours. Si cela se reproduit, autorise les cookies pour cette page.',
    },
    declined: {
      title: 'Tu n’as pas donné ton accord',
      message: 'Rien n’a été conservé. Tu peux recommencer quand tu veux.',
    },
    signInRefused: {
      title: 'Recommence depuis le début',
      message: 'La plateforme n’a pas accepté cette connexion. Rien n’a été conservé.',
    },
    scopeWithheld: {
      title: 'Il manque une autorisation',
      message:
        'Ce serveur demande tout ce que la plateforme t’a montré, et une partie a été retirée de l’adresse. Rien n’a été conservé. Recommence sans modifier l’adresse.',
    },
    scopesChanged: {
      title: 'Recommence depuis le début',
      message:
        'Le serveur demande maintenant une chose de plus qu’au début. Rien n’a été conservé ; ce sera vite fait.',
    },
    platformUnreachable: {
      title: 'La plateforme ne répond pas',
      message: 'Rien n’a été conservé. Attends un instant, puis recommence.',
    },
    botUnusable: {
      title: 'La vérification est fermée pour le moment',
      message:
        'Le bot du serveur est inutilisable pour le moment. Le propriétaire du serveur peut y remédier : préviens-le.',
    },
    startAgain: 'Recommencer',
    openLink: 'Ouvre à nouveau le lien de vérification du serveur pour repartir du début.',
  },
  tooManyAttempts: {
    title: 'Trop de tentatives',
    message:
      'Il y a eu énormément de tentatives depuis ton adresse. Rien n’a été conservé. Attends une minute, puis ouvre à nouveau le lien de vérification du serveur.',
  },
  noServer: {
    title: 'Ce serveur n’existe pas ici',
    message:
      'Le lien est peut-être mal saisi ou trop ancien. Demandes-en un nouveau au propriétaire du serveur.',
  },
};
