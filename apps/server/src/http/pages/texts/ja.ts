import type { PageTexts } from './en.ts';

export const ja: PageTexts = {
  language: '言語',
  poweredBy: (holdfast) => ['提供: ', holdfast],
  yourData: 'あなたのデータ',
  notFound: {
    title: 'ページが見つかりません',
    message: 'アドレスが間違っているか、ページが移動または削除された可能性があります。',
  },
  tooMany: {
    title: 'リクエストが多すぎます',
    message: '1分ほど待ってから、もう一度お試しください。',
  },
  failed: {
    title: 'こちら側で問題が発生しました',
    message: 'しばらくしてからもう一度お試しください。エラーは記録されました。',
  },
  unavailable: {
    title: '現在ご利用いただけません',
    message: 'しばらくしてからもう一度お試しください。',
  },
  refused: {
    title: 'うまくいきませんでした',
    message: 'リクエストが拒否されました。前のページに戻り、再読み込みしてからお試しください。',
  },
  requestId: '繰り返し起きる場合は、次のリクエストIDを運営者にお伝えください：',
  startPage: 'トップページ',
  guides: 'ガイド',
  newLink: '認証ボタンから来た場合は、サーバーのオーナーに新しいリンクを頼んでください。',
};
