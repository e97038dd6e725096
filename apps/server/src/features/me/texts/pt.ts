import { formatsOf } from '../../../http/languages/formats.ts';
import type { MeTexts } from './en.ts';

const { count } = formatsOf('pt');

export const pt: MeTexts = {
  title: 'Seus dados',
  signIn: {
    what: 'Entre com a plataforma e veja todos os servidores que guardam algo sobre você. Você pode retirar sua permissão, exportar tudo ou mandar apagar.',
    only: 'Só perguntamos à plataforma quem é você, e não guardamos nenhum token de acesso.',
    kept: {
      label: 'Guardado',
      text: 'Os servidores em que você se verifica guardam sua verificação, seu nome, seu ID e sua foto, e o país e a rede de onde você vem. Por 90 dias, guardam também hashes do seu aparelho e do seu endereço, para detectar segundas contas.',
    },
    agreed: {
      label: 'Só se você concordar',
      text: 'Se o dono puder trazer você de volta, um token de acesso da plataforma é guardado, criptografado. Se você voltar atrás, ele é apagado e sua verificação continua valendo.',
    },
    never: {
      label: 'Nunca',
      text: 'Nenhum servidor guarda sua senha, seu e-mail ou seu endereço IP em si.',
    },
    button: 'Entrar com a plataforma',
  },
  signedInAs: (name, username, platformId) => [
    ...['Você entrou como ', name, ' (', username, '), ID da plataforma ', platformId, '.'],
  ],
  sessions: (sessions) => `Você tem ${count(sessions, { one: '# sessão', other: '# sessões' })}.`,
  nothing: 'Nenhum servidor guarda nada sobre você.',
  ownersLists:
    'As listas com que um dono deixa pessoas entrarem ou as mantém fora, banimentos incluídos, são do dono e não aparecem aqui.',
  exportJson: 'Exportar como JSON',
  signOut: 'Sair',
  yes: 'sim',
  no: 'não',
  kept: 'guardado',
  notKept: 'não guardado',
  membership: {
    verified: 'Verificação',
    left: 'Saída percebida',
    name: 'Com o nome',
    recovery: 'O dono pode trazer você de volta?',
    agreed: (at) => `sim, permitido em ${at}`,
    roles: 'Cargos e apelido para isso',
    rolesKept: 'guardados como vistos pela última vez',
    rolesInBackups: 'só em backups',
    token: 'Token para isso',
    tokenKept: 'guardado, criptografado',
    tokenNone: 'nenhum',
    place: 'País e região',
    network: 'Rede',
    vpn: 'Considerado VPN',
    alt: 'Considerado segunda conta',
    device: 'Hash do seu aparelho',
    created: 'Conta criada na plataforma',
  },
  hashes: {
    label: 'Aparelho e endereço',
    none: 'nenhum hash guardado',
    device: (until) => `hashes do seu aparelho guardados até ${until}`,
    address: (until) => `hashes do seu endereço guardados até ${until}`,
    both: (until) => `hashes do seu endereço e do seu aparelho guardados até ${until}`,
  },
  attempt: {
    label: 'Tentativa de verificação',
    verified: 'concluída',
    blocked: 'recusada',
    unfinished: 'não terminada',
    forgotten: (outcome, at) => `${outcome}, esquecida em ${at}`,
  },
  join: {
    label: (at) => `Chegada em ${at}`,
    held: 'durante uma invasão em massa: o dono precisa decidir sobre você',
    noticed: 'guardada por um tempo para perceber invasões em massa',
  },
  incident: {
    label: (at) => `Incidente de ${at}`,
    attack: 'o que você fez conta como ataque',
    stopped: 'o que você fez conta como ataque, e talvez cargos tenham sido retirados de você',
  },
  acts: {
    label: 'Feito no servidor',
    entries: (entries) =>
      count(entries, {
        one: '# registro do log de auditoria dele',
        other: '# registros do log de auditoria dele',
      }),
  },
  appeal: {
    label: (at) => `Recurso de ${at}`,
    OPEN: 'aberto',
    ACCEPTED: 'aceito',
    REJECTED: 'recusado',
  },
  recall: {
    invited: (server) => [
      ...['O dono convida você a voltar para ', server],
      ': a permissão para trazer você de volta não vale mais, então entre por conta própria.',
    ],
    open: 'Abrir o convite',
    until: (at) => `Só quem foi convidado pode usá-lo, até ${at}.`,
  },
  withdraw: {
    button: 'Não me trazer de volta',
    label: (server) => `Não me trazer de volta para ${server}`,
    stays: 'Sua verificação continua valendo.',
  },
  backups: {
    heading: 'Em backups',
    intro: 'Os donos fazem backup dos seus servidores. Estes backups contêm algo sobre você:',
    ROLES_AND_NICKNAME: 'seus cargos e seu apelido',
    MESSAGES: 'mensagens que você escreveu ou que mencionam você',
    CHANNELS: 'permissões ou menções em canais',
    TEXTS: 'menções em descrições',
    within: (kind, backups) =>
      `${kind}, em ${count(backups, { one: 'um backup', other: '# backups' })}`,
    saved: (at) => `salvo em ${at}`,
    savedBetween: (from, to) => `salvo entre ${from} e ${to}`,
  },
  erase: {
    heading: 'Apagar tudo',
    what: 'Todos os servidores esquecem você na hora: sua verificação, o que você permitiu, seus tokens, seus recursos e suas sessões. Os backups escondem você na hora, para que nenhuma restauração traga de volta seus cargos, seu apelido ou suas mensagens, e em até 24 horas você desaparece também dos próprios backups guardados.',
    stays:
      'O que fica: os cargos que você tem na plataforma (para sair de um servidor, saia por lá) e apenas o seu ID em listas que os próprios donos mantêm, como banimentos, canais negados e regras, e no log de auditoria deles. Se você se verificar de novo, backups posteriores podem voltar a conter você.',
    word: 'APAGAR',
    label: (word) => `Digite ${word} para confirmar`,
    unconfirmed: (word) => `Nada foi apagado: a palavra não era ${word}.`,
    submit: 'Apagar tudo sobre mim',
  },
  erased: {
    title: 'Tudo foi apagado',
    heading: 'Tudo sobre você foi apagado',
    text: 'Nenhum servidor que usa o Holdfast mostra mais nada sobre você, e seus tokens estão sendo devolvidos à plataforma. Nenhum backup traz você de volta; em até 24 horas você desaparece também dos próprios backups guardados. A sessão foi encerrada.',
    owners:
      'Os donos podem ter o seu ID em listas próprias, banimentos incluídos, e o log deles diz que você pediu isto.',
  },
};
