import type { PageTexts } from './en.ts';

export const pt: PageTexts = {
  language: 'Idioma',
  poweredBy: (holdfast) => ['Com tecnologia ', holdfast],
  yourData: 'Seus dados',
  notFound: {
    title: 'Não há nenhuma página aqui',
    message: 'O endereço pode estar errado, ou a página foi movida ou apagada.',
  },
  tooMany: { title: 'Pedidos demais', message: 'Espere um minuto e tente de novo.' },
  failed: {
    title: 'Algo deu errado do nosso lado',
    message: 'Tente de novo daqui a pouco. A falha foi registrada.',
  },
  unavailable: { title: 'Indisponível no momento', message: 'Tente de novo daqui a pouco.' },
  refused: {
    title: 'Não deu certo',
    message: 'O pedido foi recusado. Volte, recarregue a página e tente de novo.',
  },
  requestId: 'Se acontecer de novo, informe ao operador este identificador do pedido:',
  startPage: 'Página inicial',
  guides: 'Guias',
  newLink: 'Veio de um botão de verificação? Peça um novo link ao dono do servidor.',
};
