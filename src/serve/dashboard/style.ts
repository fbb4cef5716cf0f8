/** What the dashboard has beyond the approval page. */
export const ownStyle = `
:root{--run:#1a5fb4;--run-bg:#e5eefa;--bar:#d9d7d0}
@media (prefers-color-scheme:dark){:root{--run:#9cc4f8;--run-bg:#1b2c42;--bar:#3a414b}}
header{flex-wrap:wrap}
main>h1{margin:.25rem 0 1.25rem}
section>h2{margin:1.75rem 0 .75rem;font-size:1.0625rem}
h3{font-size:1.0625rem;line-height:1.4;margin:0;overflow-wrap:anywhere}h1 .state,h3 .state,.line .state{vertical-align:middle;font-size:.8125rem;padding:.1rem .55rem;white-space:nowrap}
.running{color:var(--run);background:var(--run-bg)}
.asks{border-left:.3rem solid var(--wait)}
.facts{display:flex;flex-wrap:wrap;gap:.6rem 1.75rem;margin-top:.9rem}.facts div{min-width:0}
.facts dt{font-size:.8125rem}.facts dd{font-variant-numeric:tabular-nums}
.bar{display:flex;flex-wrap:wrap;align-items:center;gap:.35rem .9rem;margin:.75rem 0 0;font-size:.9375rem;font-variant-numeric:tabular-nums}
.track{flex:1 1 12rem;height:.6rem;border-radius:99rem;background:var(--bar)}.ended{fill:var(--run)}.begun{fill:var(--run);opacity:.4}
.actions{display:flex;flex-wrap:wrap;align-items:center;gap:.75rem 1rem;margin:1.1rem 0 0}
.button{display:inline-block;padding:.6rem 1.25rem;border-radius:.5rem;background:var(--go);color:var(--go-text);font-weight:600;text-decoration:none}.button:hover{text-decoration:underline}
.command{display:inline-block;padding:.2em .5em;line-height:1.6;user-select:all}
.about,.reason{color:var(--soft);font-weight:400;font-size:.9375rem;overflow-wrap:anywhere}.about{font-variant-numeric:tabular-nums}p.about{margin:0}h3 .path{display:inline-block}
.rows{list-style:none;margin:.75rem 0 0;padding:0}.rows>li{padding:.75rem 0;border-top:1px solid var(--line)}.rows>li:last-child{padding-bottom:0}.plain{margin:0}.plain>li:first-child{border:0;padding-top:0}
.line{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem .75rem;margin:0 0 .3rem;overflow-wrap:anywhere}.line a,.line strong{font-weight:600}
.reason{margin:0 0 .4rem}.rows .bar{margin:.1rem 0 .3rem}
.rows .rows{margin:.25rem 0 0}.rows .rows>li{border:0;padding:.2rem 0 .2rem 1rem}.rows .rows p{margin:0}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
#lost{flex-basis:100%;margin:0;padding:.6rem .9rem;border-radius:.4rem;color:var(--stop);background:var(--stop-bg)}#lost[hidden]{display:none}
@media (max-width:30rem){.button{flex:1 1 100%;text-align:center}.facts{gap:.5rem 1.25rem}}
`;
