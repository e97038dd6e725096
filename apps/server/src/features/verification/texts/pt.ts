import { formatsOf } from '../../../http/languages/formats.ts';
import type { VerificationTexts } from './en.ts';

const { count } = formatsOf('pt');

export const pt: VerificationTexts = {
  visit: {
    title: (server) => `Verificação para ${server}`,
    heading: 'Verifique-se para entrar',
    why: (server) => [server, ' quer saber que quem chega é uma pessoa de verdade.'],
    stepsWithRole:
      'Um minuto: você entra na sua conta, seu navegador resolve uma pequena tarefa e você recebe seu cargo.',
    steps: 'Um minuto: você entra na sua conta, seu navegador resolve uma pequena tarefa e pronto.',
    asked: 'O que é pedido',
    askedOfPlatform:
      'Seu nome, seu ID e sua foto na plataforma. Nunca sua senha nem suas mensagens.',
    askedGuilds: 'Também, uma única vez, em quais servidores você está. A lista não é guardada.',
    optional: 'Opcional',
    recovery: 'O dono pode me trazer de volta se o servidor se perder',
    recoveryMeans:
      'Se ele for apagado ou invadido, o dono pode adicionar você ao novo servidor. Você pode voltar atrás quando quiser.',
    submit: 'Verificar',
    stored: 'O que é guardado, e por quanto tempo',
    storedOfYou:
      'Seu nome, seu ID e sua foto, o país e a rede de onde você vem e, por 90 dias, hashes do seu aparelho e do seu endereço, para detectar segundas contas. O endereço em si não é guardado.',
    storedForRecovery:
      'Só se o dono puder trazer você de volta: um token de acesso da plataforma, criptografado. Se você voltar atrás, ele é apagado e sua verificação continua valendo.',
    source: 'Dados de rede: DB-IP',
  },
  stricter: {
    title: 'As verificações estão mais rígidas no momento,',
    because: 'porque muita gente chegou a este servidor ao mesmo tempo.',
    youngAccounts: (days) =>
      `Contas com menos de ${count(days, { one: '# dia', other: '# dias' })} não podem ser verificadas agora.`,
    later: 'Se a sua entrada for recusada, tente de novo mais tarde, ainda hoje.',
  },
  standing: {
    verified: {
      title: 'Sua conta já está verificada aqui.',
      text: 'Repita só se o seu cargo estiver faltando ou se quiser mudar sua escolha.',
    },
    held: {
      title: 'O dono ainda não decidiu.',
      text: 'Ele está olhando todos os que chegaram no mesmo momento.',
    },
    refused: { title: 'Sua última tentativa foi recusada.', text: 'Você pode tentar de novo.' },
    appealOpen: {
      title: 'O dono recebeu sua mensagem.',
      text: 'Ele ainda não decidiu.',
    },
    appealAccepted: {
      title: 'O dono liberou sua entrada.',
      text: 'Verifique-se mais uma vez e pronto.',
    },
    appealRejected: {
      title: 'O dono recusou seu recurso.',
      text: 'Mesmo assim, você pode tentar de novo.',
    },
    more: 'Saber mais',
  },
  check: {
    title: (server) => `Verificando seu navegador para ${server}`,
    heading: 'Um momento',
    hello: (name) => ['Olá, ', name, '.'],
    task: 'Seu navegador está resolvendo uma pequena tarefa. Leva alguns segundos e depois a página segue sozinha.',
    scriptsOff: 'Os scripts estão desativados.',
    allowScript:
      'Esta verificação precisa de um: permita-o nesta página e recarregue. Ele vem deste site e não fala com mais ninguém.',
    allowScripts: 'Esta verificação precisa deles: permita-os nesta página e recarregue.',
    signedIn: 'Você já entrou na sua conta. A página segue sozinha; se não seguir, aperte o botão.',
    widget: 'Mostre que você é uma pessoa e continue.',
    continue: 'Continuar',
    trouble:
      'Seu navegador não conseguiu terminar a verificação. Recarregue a página ou tente outro navegador.',
    tryAgain: 'Tentar de novo',
    lookAgain: 'Olhar de novo',
  },
  captcha: {
    title: 'A verificação não deu certo',
    wrong: 'A tarefa não foi resolvida corretamente.',
    stale: 'A tarefa já tinha sido usada ou demorou demais.',
    missing: 'A tarefa não foi resolvida. Ela precisa de scripts: permita-os nesta página.',
    unreachable: 'A verificação não pode ser feita no momento. Espere um pouco.',
  },
  noFingerprint: {
    title: 'Não foi possível reconhecer seu navegador',
    message:
      'Este servidor compara aparelhos para que ninguém entre uma segunda vez. Permita scripts nesta página e desative extensões que os bloqueiam. Só um hash do seu aparelho é guardado, por 90 dias.',
  },
  held: {
    title: 'Espere a decisão do dono',
    message:
      'Você chegou no mesmo momento que muitas outras pessoas, então o dono do servidor olha todas primeiro. Não há nada de errado com as suas respostas: abra esta página mais tarde.',
  },
  blocked: {
    BLACKLIST: {
      title: 'Você não pode entrar',
      message: 'O dono do servidor não permite a entrada desta conta.',
    },
    FIREWALL: {
      title: 'Você não pode entrar',
      message:
        'O dono do servidor definiu regras sobre quem pode entrar, e uma delas se aplica à sua conta ou conexão.',
    },
    VPN: {
      title: 'Sua conexão parece uma VPN',
      message:
        'Este servidor não deixa ninguém entrar por VPNs e redes de hospedagem. Desligue a VPN ou use outra conexão, como os dados móveis, e tente de novo.',
    },
    ALT: {
      title: 'Parece que você já está aqui',
      message:
        'Outra conta foi verificada a partir do seu aparelho ou conexão. Entre pessoas que moram juntas, isso pode ser engano: se for, escreva ao dono abaixo.',
    },
    ACCOUNT_AGE: {
      title: 'Sua conta é nova demais',
      message:
        'Este servidor só aceita contas a partir de certa idade. Tente de novo mais tarde, ou conte ao dono por que ele pode confiar em você.',
    },
    CAPTCHA: {
      title: 'A verificação não deu certo',
      message: 'Seu navegador não resolveu a tarefa. Tente de novo.',
    },
  },
  appeal: {
    heading: 'Foi engano?',
    label: 'Conte ao dono por que ele deve deixar você entrar:',
    hint: (most) =>
      `Até ${count(most, { one: '# caractere', other: '# caracteres' })}. Ele também vê seu nome e seu ID.`,
    invalid: (most) =>
      `Escreva entre 1 e ${count(most, { one: '# caractere', other: '# caracteres' })}.`,
    submit: 'Enviar ao dono',
    open: {
      title: 'À espera do dono',
      sent: 'O dono recebeu sua mensagem.',
      text: 'Ele ainda não decidiu. Abra esta página mais tarde: ela mostra a decisão.',
    },
    accepted: {
      title: 'O dono liberou sua entrada',
      text: 'Seu recurso foi aceito. Verifique-se mais uma vez e pronto.',
      verify: 'Verificar mais uma vez',
    },
    rejected: {
      title: 'O dono recusou seu recurso',
      text: 'Ele leu sua mensagem e não permite a entrada desta conta.',
      again: 'Escrever de novo ao dono',
    },
  },
  done: {
    title: (server) => `Verificação concluída para ${server}`,
    heading: 'Verificação concluída',
    roleComing: 'Seu cargo está a caminho. Esta página se atualiza sozinha.',
    allDone: 'Tudo pronto. Você pode fechar esta página e voltar ao servidor.',
    recoveryYes: 'O dono pode trazer você de volta se o servidor se perder, como você permitiu.',
    recoveryNo:
      'Você não permitiu que o dono traga você de volta se o servidor se perder. Para mudar isso, verifique-se de novo.',
    verifyAgain: 'Verificar de novo',
  },
  role: {
    platformSilent:
      'A plataforma não responde no momento. Seu cargo chega assim que ela responder: você pode fechar esta página.',
    notInServer:
      'Você ainda não está no servidor. Entre nele e verifique-se mais uma vez para receber seu cargo.',
    missingPermission:
      'O bot do servidor não tem permissão para lhe dar o cargo. Avise o dono: o bot precisa poder gerenciar cargos e ficar acima deste.',
    roleGone: 'O cargo que você deveria receber não existe mais. Avise o dono do servidor.',
    roleWithheld:
      'O cargo que você deveria receber dá mais permissões do que alguém confirmou. Você o receberá assim que o dono do servidor resolver isso.',
    failed:
      'O bot do servidor não conseguiu lhe dar o cargo. Avise o dono do servidor; sua verificação vale mesmo assim.',
  },
  errors: {
    stateInvalid: {
      title: 'Comece de novo',
      message:
        'Esta etapa já foi usada, demorou demais ou começou em outro navegador. Se a sua conta já estava verificada, continua verificada. Se acontecer de novo, permita cookies nesta página.',
    },
    declined: {
      title: 'Você não concordou',
      message: 'Nada foi guardado. Você pode começar de novo quando quiser.',
    },
    signInRefused: {
      title: 'Comece de novo',
      message: 'A plataforma não aceitou este acesso. Nada foi guardado.',
    },
    scopeWithheld: {
      title: 'Falta uma permissão',
      message:
        'Este servidor pede tudo o que a plataforma mostrou a você, e uma parte foi tirada do endereço. Nada foi guardado. Comece de novo e deixe o endereço como está.',
    },
    scopesChanged: {
      title: 'Comece de novo',
      message:
        'O servidor agora pede uma coisa a mais do que quando você começou. Nada foi guardado; é rapidinho.',
    },
    platformUnreachable: {
      title: 'A plataforma não responde',
      message: 'Nada foi guardado. Espere um momento e comece de novo.',
    },
    botUnusable: {
      title: 'A verificação está fechada por enquanto',
      message:
        'O bot do servidor não pode ser usado no momento. O dono do servidor pode resolver: avise-o.',
    },
    startAgain: 'Começar de novo',
    openLink: 'Abra de novo o link de verificação do servidor para recomeçar do início.',
  },
  tooManyAttempts: {
    title: 'Tentativas demais',
    message:
      'Houve muitas tentativas a partir do seu endereço. Nada foi guardado. Espere um minuto e abra de novo o link de verificação do servidor.',
  },
  noServer: {
    title: 'Esse servidor não existe aqui',
    message: 'O link pode estar errado ou ser antigo. Peça um novo ao dono do servidor.',
  },
};
